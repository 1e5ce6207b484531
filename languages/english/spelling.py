"""British and American spelling.

The table is that of breame 0.1.2 (https://github.com/cdpierse/breame, Apache-2.0), a list of some 1,700 pairs, and lies
beside this module because the package has had no release since 2021. Left out are pairs that are not only spelling
("disc", "jail"), that both countries write both ways ("judgment"), and British forms that are hardly used
("connexion"). Pairs marked "<" go only from British to American: a British "practice" is a noun, and "program" is one
for computers.
"""

from functools import lru_cache
from pathlib import Path

_TABLE = Path(__file__).with_suffix(".tsv")


@lru_cache(maxsize=2)
def spelling(region: str) -> dict[str, str]:
    """Words of the other region and how this one, GB or US, spells them, in small letters."""
    found: dict[str, str] = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        american, british, *only_to_american = line.split("\t")
        if region == "US":
            found[british] = american
        elif not only_to_american:
            found[american] = british
    return found
