"""Refuses LibreTranslate's features that this server doesn't have, as LibreTranslate does when they are switched off.

The OpenAPI document leaves these endpoints out.
"""

from fastapi import APIRouter

from app.api.error_responses import refusing

router = APIRouter(include_in_schema=False)

router.add_api_route("/suggest", refusing(403, "Suggestions are disabled on this server."), methods=["POST"])
