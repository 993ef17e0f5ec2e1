from tests.factories.listings import CompanyFactory, industry, region
from tests.factories.people import UserFactory

__all__ = ["CompanyFactory", "UserFactory", "industry", "region"]
