"""`{{ company|price }}`: a company's price in the active language."""

from django import template

from listings.models import Company
from listings.prices import amount_in_words, price_in_words

register = template.Library()


@register.filter
def price(company: Company) -> str:
    """The price in words of the active language."""
    return price_in_words(company)


@register.filter
def price_before(company: Company) -> str:
    """The price before the cut, '' when none is known."""
    from_price = company.price_before
    return "" if from_price is None else amount_in_words(from_price, company.currency)


@register.filter
def price_cut_percent(company: Company) -> int:
    """By how many percent the price was lowered, 0 where no cut of a whole percent is known."""
    before, price = company.price_before, company.price
    if before is None or price is None or price >= before:
        return 0
    return int((before - price) * 100 / before)
