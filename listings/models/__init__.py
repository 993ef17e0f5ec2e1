from listings.models.company import Company
from listings.models.company_status import CompanyStatus
from listings.models.currency import CURRENCIES, ExchangeRate, price_in_euros
from listings.models.enquiry import Enquiry
from listings.models.taxonomy import Industry, Region

__all__ = [
    "CURRENCIES",
    "Company",
    "CompanyStatus",
    "Enquiry",
    "ExchangeRate",
    "Industry",
    "Region",
    "price_in_euros",
]
