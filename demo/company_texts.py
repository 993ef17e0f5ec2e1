"""Titles and descriptions of made-up companies, in the language their seller would write."""

from __future__ import annotations

import random
from dataclasses import dataclass

from demo.catalogue import Trade

# Town names stay as they are: the patterns need no case endings.
TITLES = {
    "de": (
        "{trade} in {town}",
        "{trade} in {town}, gegründet {founded}",
        "Nachfolge gesucht: {trade} in {town}",
        "{trade} in {town}, treue Stammkundschaft",
        "{trade} in {town} – Verkauf aus Altersgründen",
    ),
    "en": (
        "{trade} in {town}",
        "{trade} in {town}, founded {founded}",
        "Successor wanted: {trade} in {town}",
        "{trade} in {town}, loyal customers",
        "{trade} in {town} – owner retiring",
    ),
    "hr": (
        "{trade}, {town}",
        "{trade} ({town}), osnovano {founded}.",
        "Traži se nasljednik: {trade}, {town}",
        "{trade}, {town}, stalni kupci",
        "{trade}, {town} – prodaja zbog odlaska u mirovinu",
    ),
}
FACTS = {
    "de": "Gegründet {founded}, Mitarbeitende: {staff}, Jahresumsatz rund {turnover} Mio. €.",
    "en": "Founded in {founded}, staff: {staff}, annual turnover about €{turnover} million.",
    "hr": "Osnovano {founded}., broj zaposlenih: {staff}, godišnji promet oko {turnover} mil. €.",
}
REASONS = {
    "de": (
        "Der Inhaber geht in den Ruhestand und arbeitet die Nachfolge gern ein.",
        "Der Verkauf erfolgt aus familiären Gründen; das Team möchte bleiben.",
        "Die Gesellschafter trennen sich von diesem Bereich.",
        "Gesucht wird ein Käufer, der den Standort erhält.",
    ),
    "en": (
        "The owner is retiring and will gladly train a successor.",
        "For sale for family reasons; the team would like to stay.",
        "The shareholders are parting with this division.",
        "A buyer is sought who will keep the location.",
    ),
    "hr": (
        "Vlasnik odlazi u mirovinu i rado će uvesti nasljednika u posao.",
        "Prodaja iz obiteljskih razloga; tim želi ostati.",
        "Vlasnici se povlače iz ove djelatnosti.",
        "Traži se kupac koji će zadržati lokaciju.",
    ),
}
PREMISES = {
    "de": ("Die Räume sind gemietet.", "Die Immobilie kann mit erworben werden."),
    "en": ("The premises are leased.", "The property can be bought as well."),
    "hr": ("Poslovni prostor je u najmu.", "Moguća je i kupnja nekretnine."),
}


@dataclass(frozen=True, slots=True)
class CompanyFacts:
    """What a text tells; `turnover` in millions of euros."""

    trade: Trade
    town: str
    founded: int
    staff: int
    turnover: float


def title_of(facts: CompanyFacts, language: str, rng: random.Random) -> str:
    """One line for lists and mails."""
    pattern = rng.choice(TITLES[language])
    trade = facts.trade.name[language]
    return pattern.format(trade=trade, town=facts.town, founded=facts.founded)


def description_of(facts: CompanyFacts, language: str, rng: random.Random) -> str:
    """A paragraph on what the company does and one on why it is for sale."""
    turnover = f"{facts.turnover:.1f}"
    if language != "en":
        turnover = turnover.replace(".", ",")
    numbers = FACTS[language].format(founded=facts.founded, staff=facts.staff, turnover=turnover)
    reason, premises = rng.choice(REASONS[language]), rng.choice(PREMISES[language])
    return f"{facts.trade.about[language]} {numbers}\n\n{reason} {premises}"
