"""What an English sentence says of its reader, for languages that need to know when they read "Sie" or "vous"."""

import re

from languages.address import Clues

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SECOND_PERSON = re.compile(r"\b(?:you|yours?|yoursel(?:f|ves)|y['’]?all|ya)\b", re.IGNORECASE)
_THIRD_PERSON = re.compile(r"\b(?:she|hers?|herself|they|them|theirs?|themselves)\b", re.IGNORECASE)
_LETS = re.compile(r"let['’]?s\b|let us\b", re.IGNORECASE)
_BEFORE_IMPERATIVE = re.compile(
    r"^\W*(?:(?:please|just|now|so|then|well|and|but|always|never|kindly|hey|oh|okay|ok|first|next)\b\W*)*"
    r"(?:do\s+not\s+|don['’]t\s+|do\s+)?(?:(?:always|ever|never|just|please)\s+)?",
    re.IGNORECASE,
)
# Verbs that begin English commands. A noun that is spelled like one ("Water is cold") is told by what follows.
_COMMANDS = frozenset(
    """
    accept act add admit agree allow answer apologize apply arrive ask avoid bake be become begin believe borrow bring
    brush build burn buy calculate call calm cancel carry catch change charge check cheer choose clean clear click climb
    close collect come compare complete concentrate confirm connect consider contact continue cook copy count cover
    create cross cut dance decide delete deliver describe dial dig do double download draw dress drink drive drop dry
    eat email empty enjoy enter erase escape examine excuse explain fasten feed feel fetch fight fill find finish fix
    fold follow forget forgive get give go grab grow guess hand hang have hear help hide hit hold hope hurry ignore
    imagine improve include insert inspect introduce invite join jump keep kick knock know laugh lay lead learn leave
    lend let lie lift light listen load lock look lose love lower make mark mean measure meet memorize mention mind mix
    move note notice obey offer open order pack paint park pass pause pay phone pick place plan play plug pour practice
    practise prepare present press pretend prevent print promise protect prove pull push put raise reach read realize
    relax release remain remember remind remove repair repeat replace reply report request reserve respect rest return
    ring rinse run save say scroll search see select sell send serve set shake share show shut sign sing sit sleep slow
    smell smile speak spell spend spread stand start stay step stick stir stop strike study stretch submit suppose swim
    switch take talk taste teach tell thank think throw tidy tie touch train translate travel treat trust try turn twist
    type understand unlock update upload use visit wait wake walk warn wash watch wear welcome wipe wish work worry wrap
    write
    """.split()
)
_NO_COMMAND_BEFORE = frozenset("is are was were has had will would can could may might must 's".split())


def clues(source: str) -> Clues:
    """Reads a sentence."""
    return Clues(bool(_SECOND_PERSON.search(source)), bool(_THIRD_PERSON.search(source)), is_command(source))


def is_command(source: str) -> bool:
    """Whether a sentence begins with an imperative."""
    rest = _BEFORE_IMPERATIVE.sub("", source, count=1)
    words = [word[0].lower() for word in _WORD.finditer(rest)][:2]
    if not words or words[0] not in _COMMANDS or _LETS.match(rest):
        return False
    return not (len(words) > 1 and words[1] in _NO_COMMAND_BEFORE)
