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
