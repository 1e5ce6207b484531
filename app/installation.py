"""How this program was installed, to say how to add an extra to it: it is on no package index."""

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_NAME = "dragoman"


def how_to_install(*extras: str) -> str:
    """The command that adds extras, from where the program came from: a checkout, a wheel, a repository or an index.

    pip notes that in ``direct_url.json`` (PEP 610, https://packaging.python.org/en/latest/specifications/direct-url/).
    """
    wanted = f"[{','.join(extras)}]"
    origin = _origin()
    url = str(origin.get("url", ""))
    if not url:
        return f"pip install '{_NAME}{wanted}'"
    if "dir_info" in origin:
        folder = Path(unquote(urlsplit(url).path))
        option = "--editable " if origin["dir_info"].get("editable") else ""
        return f"pip install {option}'{folder if folder.exists() else 'THE-CHECKOUT'}{wanted}'"
    prefix = f"{origin['vcs_info']['vcs']}+" if "vcs_info" in origin else ""
    return f"pip install '{_NAME}{wanted} @ {prefix}{url}'"


def _origin() -> dict[str, Any]:
    try:
        noted = distribution(_NAME).read_text("direct_url.json")
    except PackageNotFoundError:  # the sources alone, on the path
        checkout = Path(__file__).parents[1]
        return {"url": checkout.as_uri(), "dir_info": {"editable": True}}
    return dict(json.loads(noted)) if noted else {}
