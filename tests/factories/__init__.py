from tests.factories.agents import AgentFactory
from tests.factories.listings import CompanyFactory, industry, region
from tests.factories.people import UserFactory

__all__ = ["AgentFactory", "CompanyFactory", "UserFactory", "industry", "region"]
