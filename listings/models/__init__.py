from listings.models.company import Company, CompanyStatus
from listings.models.currency import CURRENCIES, ExchangeRate, price_in_euros
from listings.models.taxonomy import Industry, Region

__all__ = [
    "CURRENCIES",
    "Company",
    "CompanyStatus",
    "ExchangeRate",
    "Industry",
    "Region",
    "price_in_euros",
]
