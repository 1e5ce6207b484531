"""German short forms that are made by a rule: adverbs and adjectives without their endings, and numbers of things."""

_ADVERBS = """
    amt ausschließ beruf betrieb erforder freund geschäft gesetz gewerb halbjähr hauptsäch jähr monat münd nachträg
    persön recht schrift staat tatsäch täg vertrag vierteljähr voraussicht wirtschaft wöchent zusätz öffent ärzt
""".split()
# A hyphen stands where the short form has its full stop.
_ADJECTIVES = """
    alemann-isch arab-isch biol-ogisch bürgerl-ich chem-isch ehrenamtl-ich elektr-isch europ-äisch fränk-isch
    gepr-esst geschäftsf-ührend griech-isch hausgem-acht hist-orisch jap-anisch jur-istisch kaufm-ännisch kirchl-ich
    kroat-isch körperl-ich lat-einisch mechan-isch menschl-ich männl-ich niederl-ändisch nordwestl-ich nordöstl-ich
    norw-egisch nördl-ich opt-ional orig-inal philos-ophisch phys-ikalisch polit-isch poln-isch priv-at rel-ativ
    restl-ich rumän-isch russ-isch röm-isch schwed-isch städt-isch südl-ich südwestl-ich südöstl-ich techn-isch
    theol-ogisch tschech-isch türk-isch ukrain-isch veg-etarisch verst-orben vorl-äufig weibl-ich westl-ich
    zul-ässig zust-ändig östl-ich überb-acken
""".split()
# These end no sentence.
_LEADING = """
    abgeschl-ossen amerik-anisch bearb-eitet durchges-ehen engl-isch entspr-echend erw-eitert evang-elisch gebr-aucht
    gepfl-egt ital-ienisch kath-olisch möbl-iert neg-ativ neuw-ertig österr-eichisch span-isch telef-onisch
    überarb-eitet unveränd-ert urspr-ünglich versch-ieden wiss-enschaftlich
""".split()
NUMBERS = {
    "Art": "Artikel",
    "Auftr": "Auftrags",
    "Best": "Bestell",
    "Gesch": "Geschäfts",
    "Kd": "Kunden",
    "Kto": "Konto",
    "Pers": "Personal",
    "Rechn": "Rechnungs",
    "Rg": "Rechnungs",
    "St": "Steuer",
    "Tel": "Telefon",
    "Vers": "Versicherungs",
    "Vertr": "Vertrags",
}

MADE = (
    "".join(f"{stem}l.: {stem}lich\n" for stem in _ADVERBS)
    + "".join("{0}.: {0}{1}/{0}{1}e\n".format(*word.split("-")) for word in (*_ADJECTIVES, *_LEADING))
    + "".join(f"{short}.-Nr: {full}nummer\n" for short, full in NUMBERS.items())
)
"""What ``ShortForms`` takes as leading, line by line."""
ADJECTIVES = frozenset(word.partition("-")[0] for word in _ADJECTIVES)
"""Adjectives that may end a sentence: "Er wohnt westl. Die Stadt ist groß."."""
