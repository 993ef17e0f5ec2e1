"""Prices as the feeds of three countries write them."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from listings.feeds.prices import Price, parse_price, proven_decimal_sign, require_currency
from listings.feeds.problems import UnableToReadCell


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("1.250.000,50 €", "1250000.50", "EUR"),
        ("1,250,000.50", "1250000.50", None),
        ("CHF 690'000.–", "690000.00", "CHF"),
        ("690’000.-", "690000.00", None),
        ("480.000,--", "480000.00", None),
        ("1.250.000.–", "1250000.00", None),
        ("2.900.000,00", "2900000.00", None),
        ("95,000", "95000.00", None),
        ("95.000", "95000.00", None),
        ("480000", "480000.00", None),
        ("480000,5", "480000.50", None),
        ("480000.0000", "480000.00", None),
        ("1 250 000", "1250000.00", None),
        ("1\u00a0250\u00a0000,50 EUR", "1250000.50", "EUR"),
        ("1\u202f250\u202f000", "1250000.00", None),
        ("3'400.50", "3400.50", None),
        ("1,1 Mio. €", "1100000.00", "EUR"),
        ("1.1 Mio", "1100000.00", None),
        ("1.125 Mio. €", "1125000.00", "EUR"),
        ("0,001 Mio.", "1000.00", None),
        ("250 Tsd. €", "250000.00", "EUR"),
        ("1.250 T€", "1250000.00", "EUR"),
        ("TEUR 250", "250000.00", "EUR"),
        ("1.2m", "1200000.00", None),
        ("€1.2 million", "1200000.00", "EUR"),
        ("250k", "250000.00", None),
        ("US$ 1,000,000.00", "1000000.00", "USD"),
        ("£95,000", "95000.00", "GBP"),
        ("Fr. 95'000", "95000.00", "CHF"),
        ("VB 250.000 €", "250000.00", "EUR"),
        ("250.000 € VHB", "250000.00", "EUR"),
        ("999999999999.99", "999999999999.99", None),
    ],
)
def test_a_price_is_understood(text: str, amount: str, currency: str | None) -> None:
    assert parse_price(text) == Price(Decimal(amount), currency)


@pytest.mark.parametrize(
    "text",
    ["", "VB", "VHB", "vb", "V.B.", "auf Anfrage", "Preis auf Anfrage", "a. A.", "on request",
     "Price on request", "POA", "n/a", "k.A.", "-", "–", "na upit", "Verhandlungsbasis", "NULL"],
)  # fmt: skip
def test_words_without_a_number_mean_on_request(text: str) -> None:
    assert parse_price(text) == Price(None)


def test_an_empty_price_beside_its_currency_is_on_request_too() -> None:
    assert parse_price("- €") == Price(None, "EUR")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("-5", "“-5” is negative or no single price"),
        ("−5", "“−5” is negative or no single price"),
        ("-€5", "“-€5” is negative or no single price"),
        ("(500)", "“(500)” is negative or no single price"),
        (".5", "“.5” is negative or no single price"),
        ("0", "the price is zero; leave it empty when it is on request"),
        ("0,00 €", "the price is zero; leave it empty when it is on request"),
        ("1000000000000", "“1000000000000” is too high to be a price"),
        ("9" * 400, f"“{'9' * 59}…” is too high to be a price"),
        ("NaN", "“NaN” is no price"),
        ("Infinity", "“Infinity” is no price"),
        ("1e6", "“1e6” is not one price"),
        ("=1+1", "“=1+1” is not one price"),
        ("500.000 - 750.000", "“500.000 - 750.000” is not one price"),
        ("5 Mio. Tsd.", "“5 Mio. Tsd.” is not one price"),
        ("95,000 $ €", "“95,000 $ €” names two currencies"),
        ("12 34", "“12 34” is not grouped in thousands"),
        ("1.2.3", "“1.2.3” is not grouped in thousands"),
        ("1,000,00", "“1,000,00” is not grouped in thousands"),
        ("1.250,000.50", "“1.250,000.50” is not grouped in thousands"),
        ("1.250,500", "“1.250,500” is not grouped in thousands"),
        ("690'000.000", "“690'000.000” is not grouped in thousands"),
        ("4500.000,00", "“4500.000,00” is not grouped in thousands"),
        ("12345,678", "“12345,678” has more than two decimals"),
        ("１２", "“１２” is no price"),
        ("cheap", "“cheap” is no price"),
    ],
)  # fmt: skip
def test_what_is_no_price_above_zero_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UnableToReadCell) as refusal:
        parse_price(text)
    assert str(refusal.value) == reason


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("1.250.000,50 €", ","),
        ("1,250,000.50", "."),
        ("2.900.000", ","),
        ("2,900,000", "."),
        ("1,1 Mio. €", ","),
        ("1.5", "."),
        ("95,000", None),
        ("95.000", None),
        ("480000", None),
        ("CHF 690'000.–", None),
        ("VB", None),
        ("rubbish 1,5", None),
    ],
)
def test_some_prices_prove_which_decimal_sign_their_writer_uses(
    text: str, sign: str | None
) -> None:
    assert proven_decimal_sign(text) == sign


def test_three_digits_after_the_proven_decimal_sign_are_refused_not_guessed() -> None:
    with pytest.raises(UnableToReadCell, match=r"“95,000” is unclear.*Write 95,00 or 95000"):
        parse_price("95,000", decimal_sign=",")


def test_three_digits_after_the_other_sign_are_thousands() -> None:
    assert parse_price("95.000", decimal_sign=",") == Price(Decimal("95000.00"))
    assert parse_price("95,000", decimal_sign=".") == Price(Decimal("95000.00"))


@given(st.decimals("0.01", "999999999999.99", places=2), st.sampled_from([".", ","]))
def test_every_price_printed_in_either_convention_is_read_back(
    amount: Decimal, decimal_sign: str
) -> None:
    english = f"{amount:,.2f}"
    text = english if decimal_sign == "." else english.translate(str.maketrans(".,", ",."))
    assert parse_price(text).amount == amount
    assert parse_price(text, decimal_sign).amount == amount


@given(st.text(max_size=40))
def test_no_text_whatever_makes_the_parser_crash(text: str) -> None:
    try:
        price = parse_price(text)
    except UnableToReadCell:
        return
    assert price.amount is None or 0 < price.amount < 10**12


@pytest.mark.parametrize(
    ("text", "code"), [("EUR", "EUR"), ("€", "EUR"), ("chf", "CHF"), ("sFr.", "CHF"), ("", None)]
)
def test_a_currency_column_holds_codes_or_symbols(text: str, code: str | None) -> None:
    assert require_currency(text) == code


def test_an_unknown_currency_is_refused() -> None:
    with pytest.raises(UnableToReadCell, match="“HRK” is no currency here; use EUR, CHF, USD, GBP"):
        require_currency("HRK")
