"""European law in German and English, for the references that each of the two writes for the other."""

GERMAN_LAWS = {"GDPR": "DSGVO", "TFEU": "AEUV", "TEU": "EUV", "ECHR": "EMRK", "CFR": "GRCh"}
"""The German abbreviation of each English one."""

GERMAN_JOINERS = {" and ": " und ", " or ": " oder ", " to ": " bis "}
"""What stands between the numbers of several articles: the German of the English."""
