"""Names that models translate by half."""

import re

from app.text.inline.placement import Edit
from app.translation.rules.pair import Pair


def streets(pair: Pair) -> list[Edit]:
    """Writes the name of a street as it is where the model has copied its first part alone: "Goethe place"."""
    names, words = pair.here.street_names, "|".join(sorted(pair.there.street_words))
    if names is None or not words:
        return []
    edits = {}
    for match in names.finditer(pair.source):
        name = rf"(?<!\w){match['name']}"
        half = re.search(rf"{name}[ -](?i:{words})(?!\w)", pair.translation)
        is_of_another = re.search(rf"{name}(?!\w)", pair.source)  # "Am Goetheplatz wohnte Goethe."
        if half and match[0] not in pair.translation and not is_of_another:
            edits[half.start()] = Edit(*half.span(), match[0])
    return [edits[place] for place in sorted(edits)]
