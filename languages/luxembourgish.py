"""What is known of Luxembourgish."""

from dataclasses import replace

from languages.neutral import neutral, writing_of

LANGUAGE = replace(neutral("lb"), writing=replace(writing_of("lb"), capital_nouns=True))
