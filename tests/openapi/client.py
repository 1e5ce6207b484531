"""Translates with the client that openapi-python-client makes from /spec; prints the answers as a line of JSON."""

import json
import pkgutil
import sys
from importlib import import_module

import generated
from generated import Client
from generated.api.deep_l import post_v2_translate as deepl
from generated.api.translation import post_translate as libretranslate
from generated.models import DeepLTranslateRequest, TranslateRequest

for module in pkgutil.walk_packages(generated.__path__, "generated."):
    import_module(module.name)

client = Client(base_url=sys.argv[1], raise_on_unexpected_status=True)
text = libretranslate.sync(client=client, body=TranslateRequest(q="Wo ist der Bahnhof?", source="de", target="en"))
refused = libretranslate.sync(client=client, body=TranslateRequest(q="Hello", source="zz", target="en"))
answer = deepl.sync(client=client, body=DeepLTranslateRequest(text=["Guten Morgen!"], target_lang="EN-GB"))
print(
    json.dumps(
        {
            "text": text.translated_text,
            "code": refused.code,
            "deepl": [[each.detected_source_language, each.text] for each in answer.translations],
        }
    )
)
