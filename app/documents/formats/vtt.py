"""vtt: subtitles of WebVTT; notes, styles and regions stay."""

from app.documents.subtitles import read_subtitles as read

__all__ = ["read"]
