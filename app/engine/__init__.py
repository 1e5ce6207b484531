"""Text in, translation out: what is served, how it is cut up, batched, decoded and put together again."""

import os

# ONNX Runtime's builds report events to Microsoft unless told otherwise before the import; nothing here calls home.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
