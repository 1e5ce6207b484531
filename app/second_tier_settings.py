"""The settings of the second tier, a part of ``app.settings.Settings``."""

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings


class SecondTierSettings(BaseSettings):
    """Where doubtful sentences are sent. Texts leave the server only if ``second_tier`` is set."""

    second_tier: str | None = Field(
        None,
        pattern=r"^https?://[^\s?#]+$",
        description="Address of an OpenAI-compatible server, such as http://127.0.0.1:8080/v1, that translates the "
        "sentences that the models are unsure of. Their text is sent there. By default, no text leaves the server.",
    )
    second_tier_model: str = Field("", max_length=200, description="Name of the model to ask there.")
    second_tier_key: SecretStr | None = Field(None, description="API key of that server.")
    second_tier_key_file: Path | None = Field(None, description="File that holds the key, instead of the variable.")
    second_tier_below: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Sentences with a confidence below this are sent to the second tier, and those with a verdict.",
    )
    second_tier_at_once: int = Field(4, ge=1, le=1_000, description="Maximum sentences at the second tier at a time.")
    second_tier_timeout_s: float = Field(
        10.0,
        gt=0,
        le=600,
        description="Maximum time for a sentence at the second tier, in seconds, with the time until its turn; a "
        "request waits at most half of its own time limit for it.",
    )
