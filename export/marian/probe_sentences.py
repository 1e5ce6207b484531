"""Sentences of names, numbers and addresses, which are the same in most languages."""

SENTENCES = (
    "Anna Müller, Berlin, 1998.",
    "Peter Smith (42) – London, Paris, Madrid.",
    "Maria Garcia, telefon +49 30 1234567.",
    "Hotel Europa, Via Roma 15, Milano.",
    "Windows 11, Linux 6.8, Android 14.",
    "IBM, Google, Microsoft, Toyota, Samsung.",
    "https://www.example.org/info?id=2041",
    "info@example.com",
    "David Johnson: 3,75 %, 1.250 EUR, 800 USD.",
    "Barcelona – Real Madrid 3:2 (1:1).",
    "Thomas & Julia, Hamburg, 24.12.2016.",
    "Volkswagen Golf, 105 kW, 1968 cm3.",
    "Taxi, hotel, radio, internet, video, film.",
    "Einstein 1905, Darwin 1859, Newton 1687.",
    "COVID-19, HIV, DNA, NATO, UNESCO.",
    "Shakespeare, Hamlet, 1603; Goethe, Faust, 1808.",
    "Boeing 747, Airbus A380, 12:45, Terminal 2.",
    "New York 8.336.817, Tokyo 13.960.236.",
    "Michael Jackson, Thriller, 1982.",
    "Mozart: Requiem d-moll, KV 626.",
    "Sofia, Oslo, Riga, Vilnius, Tallinn.",
    "Python 3.12, C++ 20, HTML 5.",
    "Bluetooth 5.3, USB 3.2, 16 GB, 512 GB.",
    "Olivia Brown, 17; Lucas Martin, 19; Emma Rossi, 23.",
)

LEAST_TOKENS = 20
"""Minimum number of copied tokens to choose a head; with fewer, chance would choose."""
LEAST_SHARE = 0.5
"""Minimum share of them that the head must align correctly. Below it, the order of words places markup better."""
