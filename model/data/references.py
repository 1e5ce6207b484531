"""Generated documents in which a sentence alone doesn't tell a pronoun or a form of address; the ones before it do.

"It is broken." is *Er*, *Sie* or *Es ist kaputt.*, by the gender of what was named before, and "Do you have time?" is
*Haben Sie* or *Hast du Zeit?*, by who was greeted. Text that people wrote has few such sentences that are clear, and a
model that learns to look back needs many. Two thirds of the things, people and names are to learn from, the others to
test with.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from model.data.pairs import Pair

# Of a document: what it is about changes from block to block.
_BLOCKS = 4


class _Gender(NamedTuple):
    """German words that agree with a noun, by what its pronoun is, and the English pronouns of a person."""

    er: str
    ihn: str
    der: str
    den: str
    ein: str
    einen: str
    he: str = "it"
    him: str = "it"


_THING = {
    "m": _Gender("er", "ihn", "der", "den", "ein", "einen"),
    "f": _Gender("sie", "sie", "die", "die", "eine", "eine"),
    "n": _Gender("es", "es", "das", "das", "ein", "ein"),
}
_PERSON = {"m": _THING["m"]._replace(he="he", him="him"), "f": _THING["f"]._replace(he="she", him="her")}

_THINGS = {
    "m": """
    Schlüssel:key Stuhl:chair Koffer:suitcase Hut:hat Mantel:coat Computer:computer Drucker:printer Wagen:car Ring:ring
    Brief:letter Tisch:table Schrank:cupboard Regenschirm:umbrella Fernseher:television Kuchen:cake Apfel:apple
    Garten:garden Teppich:carpet Spiegel:mirror Löffel:spoon Rucksack:backpack Pullover:sweater Bleistift:pencil
    Ball:ball Korb:basket Topf:pot Ofen:oven Kalender:calendar Turm:tower Baum:tree Vertrag:contract Plan:plan
    Fehler:mistake Film:film Roman:novel Bericht:report
    """,
    "f": """
    Lampe:lamp Tasche:bag Uhr:watch Brille:pair_of_glasses Jacke:jacket Tasse:cup Flasche:bottle Kamera:camera
    Zeitung:newspaper Tür:door Wohnung:flat Brücke:bridge Kirche:church Gitarre:guitar Karte:map Decke:blanket
    Maschine:machine Batterie:battery Blume:flower Kette:necklace Schere:pair_of_scissors Vase:vase Bluse:blouse
    Kiste:box Bank:bench Rechnung:bill Antwort:answer Idee:idea Nachricht:message Geschichte:story Frage:question
    Liste:list Datei:file Mauer:wall Suppe:soup Torte:cake
    """,
    "n": """
    Buch:book Auto:car Haus:house Fahrrad:bicycle Messer:knife Hemd:shirt Kleid:dress Bild:picture Handy:phone
    Fenster:window Bett:bed Glas:glass Boot:boat Zelt:tent Klavier:piano Paket:parcel Brot:loaf Ei:egg Zimmer:room
    Dorf:village Schiff:ship Sofa:sofa Radio:radio Spiel:game Foto:photo Geschenk:present Konto:account
    Dokument:document Programm:program Rad:wheel Dach:roof Regal:shelf Lied:song Gedicht:poem
    Angebot:offer Ergebnis:result
    """,
}
_PEOPLE = {
    "m": """
    mein_Bruder:my_brother mein_Vater:my_father unser_Nachbar:our_neighbour der_Lehrer:the_teacher mein_Sohn:my_son
    mein_Onkel:my_uncle der_Arzt:the_doctor mein_Chef:my_boss mein_Großvater:my_grandfather der_Junge:the_boy
    """,
    "f": """
    meine_Schwester:my_sister meine_Mutter:my_mother unsere_Nachbarin:our_neighbour die_Lehrerin:the_teacher
    meine_Tochter:my_daughter meine_Tante:my_aunt die_Ärztin:the_doctor meine_Chefin:my_boss
    meine_Großmutter:my_grandmother die_Königin:the_queen
    """,
}
_SURNAMES = "Müller Schmidt Weber Fischer Wagner Becker Hoffmann Koch Bauer Richter Klein Wolf Braun Krüger".split()
_FIRST_NAMES = "Anna Peter Maria Lukas Lena Paul Emma Felix Julia Jonas Sarah Max Laura Tim".split()

_THING_NAMED: tuple[Pair, ...] = (
    ("Ich habe {einen} {noun} gekauft.", "I bought {a} {thing}."),
    ("Das ist {ein} {noun}.", "This is {a} {thing}."),
    ("{Der} {noun} gehört meinem Vater.", "The {thing} belongs to my father."),
    ("Hat jemand {den} {noun} gesehen?", "Has anyone seen the {thing}?"),
    ("Mein Bruder hat mir {einen} {noun} geschenkt.", "My brother gave me {a} {thing}."),
    ("Dort ist {ein} {noun}.", "There is {a} {thing} over there."),
    ("Wir brauchen {einen} {noun}.", "We need {a} {thing}."),
    ("Wem gehört {der} {noun}?", "Whose {thing} is this?"),
    ("Sie zeigte uns {den} {noun}.", "She showed us the {thing}."),
    ("Über {den} {noun} haben wir gestern gesprochen.", "We talked about the {thing} yesterday."),
)
_THING_AGAIN: tuple[Pair, ...] = (
    ("{Er} ist sehr schön.", "It is very beautiful."),
    ("{Er} ist leider kaputt.", "Unfortunately, it is broken."),
    ("{Er} war nicht teuer.", "It was not expensive."),
    ("{Er} war ein Geschenk.", "It was a present."),
    ("{Er} ist mehr als hundert Jahre alt.", "It is more than a hundred years old."),
    ("Wo ist {er} jetzt?", "Where is it now?"),
    ("Ist {er} neu?", "Is it new?"),
    ("Gestern war {er} noch hier.", "Yesterday it was still here."),
    ("Ich glaube, dass {er} sehr wichtig ist.", "I think that it is very important."),
    ("Ich finde {ihn} nicht mehr.", "I can't find it any more."),
    ("Ich habe {ihn} noch nie gesehen.", "I have never seen it before."),
    ("Ich möchte {ihn} behalten.", "I would like to keep it."),
    ("Niemand will {ihn} haben.", "Nobody wants to have it."),
)
_PERSON_NAMED: tuple[Pair, ...] = (
    ("{Person} wohnt in Berlin.", "{Who} lives in Berlin."),
    ("Gestern kam {person} zu uns.", "Yesterday {who} came to see us."),
    ("{Person} ist krank.", "{Who} is ill."),
    ("Dort drüben steht {person}.", "{Who} is standing over there."),
)
_PERSON_AGAIN: tuple[Pair, ...] = (
    ("{Er} ist sehr nett.", "{He} is very nice."),
    ("{Er} war lange nicht hier.", "{He} has not been here for a long time."),
    ("Ich habe {ihn} gestern gesehen.", "I saw {him} yesterday."),
    ("Ich glaube, dass {er} sehr müde ist.", "I think that {he} is very tired."),
    ("Wo ist {er} jetzt?", "Where is {he} now?"),
    ("Morgen kommt {er} wieder.", "{He} is coming back tomorrow."),
)
_BETWEEN: tuple[Pair, ...] = (
    ("Das war im vergangenen Jahr.", "That was last year."),
    ("Darüber haben wir lange gesprochen.", "We talked about it for a long time."),
    ("Heute ist Montag.", "Today is Monday."),
    ("Das Wetter war schlecht.", "The weather was bad."),
)
_POLITE_GREETING: tuple[Pair, ...] = (
    ("Guten Tag, Herr {surname}!", "Good afternoon, Mr {surname}!"),
    ("Guten Morgen, Frau {surname}!", "Good morning, Ms {surname}!"),
    ("Sehr geehrter Herr {surname},", "Dear Mr {surname},"),
    ("Sehr geehrte Frau {surname},", "Dear Ms {surname},"),
    ("Sehr geehrte Damen und Herren,", "Dear Sir or Madam,"),
)
_FAMILIAR_GREETING: tuple[Pair, ...] = (
    ("Hallo, {name}!", "Hi, {name}!"),
    ("Guten Morgen, {name}!", "Good morning, {name}!"),
    ("Liebe Mama,", "Dear Mum,"),
    ("Hallo, mein Schatz!", "Hi, darling!"),
)
# (polite, familiar, English)
_ADDRESS: tuple[tuple[str, str, str], ...] = (
    ("Haben Sie heute Zeit?", "Hast du heute Zeit?", "Do you have time today?"),
    ("Können Sie mir helfen?", "Kannst du mir helfen?", "Can you help me?"),
    ("Wo wohnen Sie jetzt?", "Wo wohnst du jetzt?", "Where do you live now?"),
    ("Was machen Sie am Wochenende?", "Was machst du am Wochenende?", "What are you doing at the weekend?"),
    ("Wie geht es Ihnen?", "Wie geht es dir?", "How are you?"),
    ("Ich danke Ihnen für Ihre Hilfe.", "Ich danke dir für deine Hilfe.", "Thank you for your help."),
    ("Ich habe Ihren Brief bekommen.", "Ich habe deinen Brief bekommen.", "I got your letter."),
    ("Wann kommen Sie zurück?", "Wann kommst du zurück?", "When are you coming back?"),
    ("Ich weiß, dass Sie viel zu tun haben.", "Ich weiß, dass du viel zu tun hast.", "I know that you are very busy."),
    ("Wenn Sie möchten, rufe ich Sie an.", "Wenn du möchtest, rufe ich dich an.", "If you like, I will call you."),
    ("Bitte warten Sie hier.", "Bitte warte hier.", "Please wait here."),
    ("Kommen Sie bitte herein.", "Komm bitte herein.", "Please come in."),
    ("Haben Sie meine Nachricht gelesen?", "Hast du meine Nachricht gelesen?", "Have you read my message?"),
    ("Vergessen Sie Ihre Tasche nicht!", "Vergiss deine Tasche nicht!", "Don't forget your bag!"),
    ("Sie sind immer willkommen.", "Du bist immer willkommen.", "You are always welcome."),
    ("Wie alt sind Ihre Kinder?", "Wie alt sind deine Kinder?", "How old are your children?"),
    ("Das kann ich Ihnen nicht sagen.", "Das kann ich dir nicht sagen.", "I can't tell you that."),
    ("Was denken Sie darüber?", "Was denkst du darüber?", "What do you think about it?"),
)


def reference_pairs(documents: int, rng: Random, *, held_out: bool = False) -> Iterator[Pair]:
    """(German, English) sentences of documents, one document after the other.

    Args:
        documents: How many.
        rng: Where chance comes from.
        held_out: Use the words for tests instead of those to learn from.
    """
    words = _Words(held_out)
    for _ in range(documents):
        for _ in range(_BLOCKS):
            block = rng.choice((words.thing, words.thing, words.person, words.address))
            yield from block(rng)


class _Words:
    """The words to learn from or those to test with, and sentences with them."""

    def __init__(self, held_out: bool) -> None:
        self.things = {gender: _part(entries.split(), held_out) for gender, entries in _THINGS.items()}
        self.people = {gender: _part(entries.split(), held_out) for gender, entries in _PEOPLE.items()}
        self.surnames, self.first_names = _part(_SURNAMES, held_out), _part(_FIRST_NAMES, held_out)

    def thing(self, rng: Random) -> Iterator[Pair]:
        """A thing is named; then a pronoun stands for it."""
        gender = rng.choice("mfn")
        noun, thing = rng.choice(self.things[gender]).replace("_", " ").split(":")
        named = {"noun": noun, "thing": thing, "a": "an" if thing[0] in "aeou" else "a"}
        yield from _told(_THING_NAMED, _THING_AGAIN, named | _THING[gender]._asdict(), rng)

    def person(self, rng: Random) -> Iterator[Pair]:
        """Somebody is named; then a pronoun stands for them."""
        gender = rng.choice("mf")
        person, who = rng.choice(self.people[gender]).replace("_", " ").split(":")
        yield from _told(_PERSON_NAMED, _PERSON_AGAIN, {"person": person, "who": who} | _PERSON[gender]._asdict(), rng)

    def address(self, rng: Random) -> Iterator[Pair]:
        """Somebody is greeted; then they are spoken to."""
        polite = rng.random() < 0.5
        german, english = rng.choice(_POLITE_GREETING if polite else _FAMILIAR_GREETING)
        names = {"surname": rng.choice(self.surnames), "name": rng.choice(self.first_names)}
        yield german.format(**names), english.format(**names)
        for formal, familiar, spoken in rng.sample(_ADDRESS, 3):
            yield formal if polite else familiar, spoken


def _part(entries: Sequence[str], held_out: bool) -> list[str]:
    """Every third one is held out."""
    return [entry for place, entry in enumerate(entries) if (place % 3 == 2) == held_out]


def _told(named: Sequence[Pair], again: Sequence[Pair], words: dict[str, str], rng: Random) -> Iterator[Pair]:
    forms = words | {word.capitalize(): form[0].upper() + form[1:] for word, form in words.items()}
    sentences = [rng.choice(named), *rng.sample(again, 2)]
    if rng.random() < 0.3:
        sentences.insert(1, rng.choice(_BETWEEN))
    for german, english in sentences:
        yield german.format_map(forms), english.format_map(forms)
