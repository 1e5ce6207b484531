"""German short forms that models don't know. They know "d. h.", "z. B.", "bzw.", "ca.", "usw." and "vgl.".

We wrote the list, and tried most of it with the shipped model.
"""

from languages.short_forms import ShortForms

SHORT_FORMS = ShortForms(
    units="""
        Std: Stunde/Stunden
        Min: Minute/Minuten
        min.: Minute/Minuten
        Sek: Sekunde/Sekunden
        Essl.: Esslöffel
        Teel.: Teelöffel
        Stk: Stück
        Pck: Päckchen
        Pckg: Packung/Packungen
        Pkg: Packung/Packungen
        Ltr: Liter
        Tsd: Tausend
        Wo.: Woche/Wochen
        Pers: Person/Personen
        Pfd: Pfund
        Tabl.: Tablette/Tabletten
        Zi.: Zimmer
        qm: Quadratmeter
        cbm: Kubikmeter
    """,
    rates=("pro", "je"),
    references="""
        Abb.: Abbildung
        Bd.: Band
        Kap.: Kapitel
        max.: maximal
        mind.: mindestens
        S.: Seite
        Tab.: Tabelle
    """,
    until="bis",
    both="und",
    hour="Uhr",
    never=r"§|\b(?:Abs|Art|Nr)\.",  # "S. 2" of a law is its second sentence
    words="""
        abzgl.: abzüglich
        bspw.: beispielsweise
        bzgl.: bezüglich
        einschl.: einschließlich
        evtl.: eventuell
        exkl.: exklusive
        i. d. R.: in der Regel
        inkl.: inklusive
        insb.: insbesondere
        insbes.: insbesondere
        DZ: Doppelzimmer
        EZ: Einzelzimmer
        lt.: laut
        Lt.: Lt.
        m. E.: meines Erachtens
        M. E.: M. E.
        MwSt.: Mehrwertsteuer
        p. P.: pro Person
        s. u.: siehe unten
        u. U.: unter Umständen
        U. U.: U. U.
        u. v. m.: und vieles mehr
        USt.: Umsatzsteuer
        v. a.: vor allem
        wg.: wegen
        Wg.: Wg.
        Whg.: Wohnung
        z. T.: zum Teil
        Z. T.: Z. T.
        z. Zt.: zurzeit
        zuzgl.: zuzüglich
        zzgl.: zuzüglich
        zzt.: zurzeit
    """,
    months="""
        Jan: Januar
        Feb: Februar
        Febr: Februar
        Apr: April
        Aug: August
        Sep: September
        Sept: September
        Okt: Oktober
        Nov: November
        Dez: Dezember
    """,
    days="""
        Mo: Montag
        Di: Dienstag
        Mi: Mittwoch
        Do: Donnerstag
        Fr: Freitag
        Sa: Samstag
        So: Sonntag
    """,
)
