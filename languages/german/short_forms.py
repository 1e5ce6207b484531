"""German short forms that models don't know. They know "d. h.", "z. B.", "bzw.", "ca." and "usw.".

We wrote the list, and tried most of it with the shipped model. An adjective has the ending "e", whatever its noun: a
model hardly looks at it. Where German has a Latin or French word, too, that one is better translated: "née".
"""

from languages.german.made_short_forms import MADE
from languages.numbers import units_of
from languages.short_forms import ShortForms

UNITS = units_of("""
    second: Sekunde/Sekunden: Sek
    minute: Minute/Minuten: Min, min.
    hour: Stunde/Stunden: Std
    day: Tag/Tage: Tg., /tgl
    night: Nacht/Nächte
    week: Woche/Wochen: Wo.
    month: Monat/Monate: Mon., /Mt, /mtl
    quarter: Quartal/Quartale
    year: Jahr/Jahre: J., /jährl
    person: Person/Personen: Pers
    piece: Stück: +Stck, +Stk, St.
    user: Nutzer
    pound: Pfund: +Pfd
    ounce: Unze/Unzen
    foot: Fuß
    inch: Zoll
    mile: Meile/Meilen
    gallon: Gallone/Gallonen
    litre: Liter: +Ltr
    square metre: Quadratmeter: qm
    cubic metre: Kubikmeter: cbm
    tablespoon: Esslöffel: +Essl.
    teaspoon: Teelöffel: +Teel.
    abstention: Enthaltung/Enthaltungen: Enth.
    bottle: Flasche/Flaschen: +Fl.
    can: Dose/Dosen: +Ds.
    member: Mitglied/Mitglieder: Mitgl.
    pack: Packung/Packungen: +Pckg, +Pkg
    participant: Teilnehmer: Teiln.
    per cent: Prozent: v. H.
    per mille: Promille: v. T.
    pinch: Messerspitze/Messerspitzen: +Msp.
    room: Zimmer: Zi.
    sachet: Päckchen: +Pck
    tablet: Tablette/Tabletten: +Tabl., +Tbl.
    thousand: Tausend: Tsd
""")
SHORT_FORMS = ShortForms(
    units=UNITS.values(),
    rates=("pro", "je"),
    references="""
        Abt.: Abteilung
        Abb.: Abbildung
        Abs.: Absatz
        Bd.: Band
        Bsp.: Beispiel
        Fn.: Fußnote
        Gl.: Gleis
        Gr.: Größe
        Kap.: Kapitel
        KW: Kalenderwoche
        max.: maximal
        mind., =min.: mindestens
        Pkt.: Punkt
        rd.: rund
        S.: Seite
        s. S.: siehe Seite
        Sp.: Spalte
        Tab.: Tabelle
        Z.: Zeile
        Ziff.: Nummer
    """,
    dated="""
        geb.: geboren
        Geb.: Geboren
        gest.: gestorben
        Gest.: Gestorben
        v.: vom
    """,
    titles="""
        Fa.: Firma
        Fam.: Familie
        Fr.: Frau
        Fr. u. Hr., Fr. und Hr.: Frau und Herr
        geb.: née
        gez.: unterzeichnet von
        Gez.: Unterzeichnet von
        Bgm.: Bürgermeister
        Hr.: Herr
        Hr. u. Fr., Hr. und Fr.: Herr und Frau
        Hrn.: Herrn
        lg: liebe Grüße
        Inh.: Eigentümer
        Lg: Liebe Grüße
        Ltg.: Leitung
        Pfr.: Pfarrer
        s.: siehe
    """,
    links="""
        f.: für
        m.: mit
        n.: nach
        u.: und
    """,
    leading=MADE
    + """
        Abk.: Abkürzung
        abh.: abhängig
        Abf.: Abfahrt
        Abschn.: Abschnitt
        abzgl.: abzüglich
        =allg.: allgemein/allgemeine
        am Hbf: am Hauptbahnhof
        Ank.: Ankunft
        Anl.: Anlage
        Anm.: Anmerkung
        Anm. d. Red.: Anmerkung der Redaktion
        Anz.: Anzahl
        Aufl.: Auflage
        Ausg.: Ausgabe
        Az.: Aktenzeichen
        ausschl.: ausschließlich
        bearb. v., bearb. von: bearbeitet von
        Bearb.: Bearbeitung
        Bem.: Bemerkungen
        Bekl.: Beklagte
        bes.: besonders/besondere
        betr.: betreffend
        Betr.: Betreff
        Bankverb.: Bankverbindung
        Bhf.: Bahnhof
        Bj.: Baujahr
        bspw.: beispielsweise
        bzgl.: bezüglich
        d. J.: d. J.
        div.: diverse
        dt.: deutsch/deutsche
        durchschn.: durchschnittlich
        ebd.: ibid.
        Einw.: Einwohner
        ehem.: ehemals/ehemalige
        einschl.: einschließlich
        etw.: etwas
        evtl.: eventuell
        exkl.: exklusive
        frdl.: freundlich/freundlichen
        frz.: französisch/französische
        geb. am: geboren am
        geb. in: geboren in
        Gebr.: Gebrüder
        gegr.: gegründet
        gem.: gemäß
        gest. am: gestorben am
        gest. in: gestorben in
        gg.: gegen
        ggf., ggfs., ggfls.: gegebenenfalls
        ggü.: gegenüber
        hg. v., hg. von, hrsg. v., hrsg. von: herausgegeben von
        Hrsg.: Ed.
        herzl. Gruß: herzlicher Gruß
        herzl. Grüße: herzliche Grüße
        hl.: heilig/heilige
        i. d. F.: in der Fassung
        i. d. R.: in der Regel
        i. H. v.: in Höhe von
        i. R. d.: im Rahmen des
        i. S. d.: im Sinne des
        i. S. v.: im Sinne von
        i. V. m.: in Verbindung mit
        inkl.: inklusive
        innerh.: innerhalb
        innerh. v.: innerhalb von
        insb., insbes.: insbesondere
        jmd.: jemand
        jmdm.: jemandem
        jmdn.: jemanden
        kl.: klein/kleiner
        Kl.: Klasse
        Ldkr.: Landkreis
        led.: ledig
        lfd.: laufend/laufende
        lfd. Nr: laufende Nummer
        =lt.: laut
        mtl.: monatlich
        m. W. v.: mit Wirkung vom
        n. Br.: n. Br.
        n. Chr.: n. Chr.
        n. d.: nach dem
        Nachdr.: Nachdruck
        o. g.: oben genannt/oben genannten
        od.: oder
        Postf.: Postfach
        rd. ein: rund ein
        rd. eine: rund eine
        rd. einen: rund einen
        s. a., s. auch: siehe auch
        s. dazu: siehe dazu
        s. hierzu: siehe hierzu
        s. unten: siehe unten
        s. Br.: s. Br.
        s. Zt.: seinerzeit
        Röm.: Röm.
        stellv., stv.: stellvertretend/stellvertretende
        Stellv.: Stellvertreter
        stdl.: stündlich
        tgl.: täglich
        u. dgl.: und Ähnliches
        =u. E.: unserer Meinung nach
        u. g.: unten genannt/unten genannten
        =u. W.: nach unserem Wissen
        u. zw.: und zwar
        übers. v., übers. von: übersetzt von
        Übers.: Übersetzung
        ungef.: ungefähr
        ugs.: umgangssprachlich/umgangssprachliche
        v. d. Essen: vor dem Essen
        v. Chr.: v. Chr.
        verb. Aufl.: verbesserte Auflage
        vom Hbf: vom Hauptbahnhof
        verh.: verheiratet
        vgl.: cf.
        Vgl.: Vergleiche
        Vj.: Vorjahr
        Vors.: Vorsitzender
        vorauss.: voraussichtlich
        wahrsch.: wahrscheinlich
        =wg.: wegen
        Wohnfl.: Wohnfläche
        zit. n.: zitiert nach
        z. Bsp.: zum Beispiel
        z. Hd., z. Hd. v.: für die Aufmerksamkeit von
        zum Hbf: zum Hauptbahnhof
        zus.: zusammen
        zuzgl., zzgl.: zuzüglich
        zw.: zwischen
    """,
    before_days=("ab", "am", "bis", "jeden", "nächsten", "seit", "vom", "zum"),
    until="bis",
    both="und",
    capital_nouns=True,
    hour="Uhr",
    daytimes="(?:Vor|Nach)?[Mm]ittag|Abend|Morgen|Nacht|Ruhetag",
    # "S. 2" of a law is its second sentence. "Gl. 7" may be an equation.
    never={
        "Abs.": r"§|\bArt\.",
        "Fr.": r"\bFr\.,? ?[\ue000-\uf8ff]",
        "J.": r"\bJ\. ?[A-ZÄÖÜ]",
        "jur.": r"\bDr\.",
        "Kl.": r"\bBekl\.",
        "KW": r"\d ?KW\b",
        "n. V.": r"\d:\d|[\ue000-\uf8ff]",
        "S.": r"§|\b(?:Abs|Art)\.|\bNr\. ?\d+[a-z]? S\.",
        "St.": r"\bSt\.[ -]?[A-ZÄÖÜ]",
        "theol.": r"\bDr\.",
        "Z.": r"§|\b(?:Abs|Art|Nr)\.",
        "Gl.": r"\A(?![^:]*(?:\b(?:Abf|Ank|Hbf|Bhf|Zug|Uhr)\b|\d:\d\d))",
    },
    words="""
        a. a. O.: loc. cit.
        DZ: Doppelzimmer
        EBK: Einbauküche
        EZ: Einzelzimmer
        hdl: hab dich lieb
        d. Ä.: der Ältere
        d. Gr.: der Große
        gen. der: genannt der
        gen. die: genannt die
        i. Allg.: im Allgemeinen
        i. e. S.: im engeren Sinne
        i. O.: in Ordnung
        i. w. S.: im weiteren Sinne
        im DG: im Dachgeschoss
        im EG: im Erdgeschoss
        iwas: irgendwas
        iwie: irgendwie
        Jh., Jhd., Jhdt.: Jahrhundert
        m. a. W.: mit anderen Worten
        =m. E.: meines Erachtens
        =m. W.: soweit ich weiß
        k. A.: keine Angabe
        n. i. O.: nicht in Ordnung
        =n. V.: nach Vereinbarung
        mMn: meiner Meinung nach
        MwSt.: Mehrwertsteuer
        o. Ä., o. ä.: oder Ähnliches
        =o. B.: ohne Befund
        p. P.: pro Person
        s. o.: siehe oben
        s. u.: siehe unten
        u. a.: u. a.
        ü. M., ü. NHN, ü. NN: über dem Meeresspiegel
        u. Ä., u. ä.: und Ähnliches
        =u. U.: unter Umständen
        u. v. m.: und vieles mehr
        USt.: Umsatzsteuer
        v. a.: vor allem
        vllt, vlt: vielleicht
        Whg.: Wohnung
        =z. T.: zum Teil
        z. Zt., zzt.: zurzeit
    """,
    months="""
        Jan, Jän: Januar
        Feb, Febr: Februar
        März: März
        Apr: April
        Mai: Mai
        Jun, Juni: Juni
        Jul, Juli: Juli
        Aug: August
        Sep, Sept: September
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
