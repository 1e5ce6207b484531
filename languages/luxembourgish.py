"""What is known of Luxembourgish."""

from dataclasses import replace

from languages.neutral import neutral

LANGUAGE = replace(neutral("lb"), capital_nouns=True)
