"""srt: subtitles of SubRip."""

from app.documents.subtitles import read_subtitles as read

__all__ = ["read"]
