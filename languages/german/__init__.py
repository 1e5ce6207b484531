"""Everything that is German."""

from dataclasses import replace

from languages.neutral import neutral

LANGUAGE = replace(
    neutral("de"),
    regions=("AT", "CH", "DE"),
    common_words=frozenset(
        """
        aber auch auf aus bei bitte danke das dem den der des dich die dir du ein eine einem einen einer er es für
        gut hallo hast hat ich ihr im ist ja kein keine mein mich mir mit nach nein nicht nichts noch nur oder sehr
        sich sie sind tschüss und uns vom von warum wenn wie wir wo wurde zu zum zur über
        """.split()
    ),
)
