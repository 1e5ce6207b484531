"""Translates texts: segments them, batches and decodes the segments, and builds the text again."""

import os

# ONNX Runtime's builds report events to Microsoft unless told otherwise before the import; nothing here calls home.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
