"""Whom the pages' tests are about."""

import pytest
from django.test import Client

from agents.models import ScheduledMailReport
from marketplace.models import User
from tests.factories import UserFactory


@pytest.fixture
def person(client: Client) -> User:
    """A signed-in person without agents."""
    user = UserFactory.create()
    ScheduledMailReport.objects.filter(user=user).delete()
    client.force_login(user)
    return user
