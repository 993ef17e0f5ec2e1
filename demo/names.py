"""Names of people, as they are common in each language, and plain addresses for them."""

from __future__ import annotations

import unicodedata

FIRST = {
    "de": (
        "Anja Bernd Claudia Daniel Elke Florian Gabriele Hannes Ines Jürgen Katrin Lukas Martina "
        "Norbert Petra Ralf Sabine Thomas Ulrike Wolfgang Sebastian Franziska Matthias Jörg"
    ).split(),
    "en": (
        "Alice Benjamin Charlotte David Emma George Hannah Isaac Julia Liam Megan Nathan Olivia "
        "Peter Rachel Samuel Theresa Victor Wendy Amit Priya Grace"
    ).split(),
    "hr": (
        "Ante Božena Dario Đurđica Filip Goran Ivana Jasna Krešimir Lucija Marko Nikolina Petar "
        "Sanja Tomislav Vesna Zoran Željka Ivan Maja Hrvoje Katarina"
    ).split(),
}
LAST = {
    "de": (
        "Albrecht Bauer Dietrich Ebner Fuchs Gruber Hartmann Huber Jäger Keller Lehmann Maier "
        "Neumann Oberhofer Pichler Richter Schäfer Steiner Vogt Weiß Zimmermann Brändle Moser"
    ).split(),
    "en": (
        "Adams Bennett Clarke Dixon Ellis Foster Graham Hughes Irving Jackson King Lawson Mitchell "
        "Newton Owens Parker Reid Shaw Turner Walsh Young Patel"
    ).split(),
    "hr": (
        "Babić Crnković Đurić Filipović Grgić Horvat Ivanković Jurić Knežević Lovrić Marić Novak "
        "Pavić Radić Šimić Tomić Vuković Zorić Žanić Kovačević Perić Blažević"
    ).split(),
}
# Reserved for examples and tests: no mail to them can ever reach anybody.
DOMAINS = ("example.com", "beteiligungen.example", "capital.example", "ulaganja.example",
           "nachfolge.example", "mittelstand.test")  # fmt: skip
SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "đ": "d"})


def address_for(name: str, domain: str) -> str:
    """`Jörg Weiß` at `example.com` becomes `joerg.weiss@example.com`."""
    plain = unicodedata.normalize("NFKD", name.lower().translate(SPELLED_OUT))
    letters = "".join(char for char in plain if not unicodedata.combining(char))
    return f"{'.'.join(letters.split())}@{domain}"
