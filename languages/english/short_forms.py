"""English short forms that models don't know. They know "e.g.", "i.e.", "approx.", "etc." and "No.".

We wrote the list, and tried most of it with the shipped model.
"""

from languages.short_forms import ShortForms

SHORT_FORMS = ShortForms(
    units="""
        h: hour/hours
        hr: hour/hours
        hrs: hours
        min: minute/minutes
        mins: minutes
        sec: second/seconds
        secs: seconds
        wk: week/weeks
        wks: weeks
        mo: month/months
        mos: months
        yr: year/years
        yrs: years
        tsp: teaspoon/teaspoons
        tsps: teaspoons
        tbsp: tablespoon/tablespoons
        tbsps: tablespoons
        oz: ounce/ounces
        lb: pound/pounds
        lbs: pounds
        gal: gallon/gallons
        yd: yard/yards
        yds: yards
        sq ft: square foot/square feet
        sq. ft.: square foot/square feet
        cu ft: cubic foot/cubic feet
        cu. ft.: cubic foot/cubic feet
        mph: miles per hour
        kph: kilometers per hour
        pcs: pieces
        pts: points
    """,
    rates=("per",),
    references="""
        ch.: chapter
        chap.: chapter
        eq.: equation
        fig.: figure
        figs.: figures
        no.: No.
        p.: page
        P.: P.
        para.: paragraph
        pp.: pages
        sec.: section
        vol.: volume
    """,
    words="""
        a. k. a.: also known as
        asap: as soon as possible
        ASAP: as soon as possible
        account no.: account number
        b/c: because
        dept.: department
        excl.: excluding
        govt.: government
        invoice no.: invoice number
        order no.: order number
        phone no.: phone number
        plz: please
        pls: please
        serial no.: serial number
        thx: thanks
        tracking no.: tracking number
        w/o: without
    """,
    months="""
        Jan: January
        Feb: February
        Mar: March
        Apr: April
        Aug: August
        Sep: September
        Sept: September
        Oct: October
        Nov: November
        Dec: December
    """,
    days="""
        Mon: Monday
        Tue: Tuesday
        Tues: Tuesday
        Wed: Wednesday
        Thu: Thursday
        Thur: Thursday
        Thurs: Thursday
        Fri: Friday
        Sat: Saturday
        Sun: Sunday
    """,
    until="to",
    both="and",
    hour=r"[ap]\.?m",
)
