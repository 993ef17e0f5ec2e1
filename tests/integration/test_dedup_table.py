"""What the schema itself guarantees about the dedup table."""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import RestrictedError
from django.utils import timezone

from agents.models import ReportedCompany, ScheduledMailReport
from listings.models import Company
from marketplace.models import User
from tests.factories import AgentFactory, CompanyFactory, UserFactory

pytestmark = pytest.mark.django_db


def note(
    agent: ScheduledMailReport, company: Company, user: User | None = None, listed: bool = True
) -> ReportedCompany:
    return ReportedCompany.objects.create(
        agent=agent, user=user or agent.user, company=company, is_listed=listed,
        reported_at=timezone.now(),
    )  # fmt: skip


def refused(write: Callable[[], object]) -> bool:
    """True when the database refuses, at once or at the end of the transaction."""
    try:
        with transaction.atomic():
            write()
            connection.check_constraints()
    except IntegrityError:
        return True
    return False


def test_an_agent_notes_a_company_once() -> None:
    agent, company = AgentFactory(), CompanyFactory()
    note(agent, company, listed=False)
    assert refused(lambda: note(agent, company, listed=False))


def test_a_person_is_listed_a_company_once_whatever_the_agent() -> None:
    user, company = UserFactory(), CompanyFactory()
    note(AgentFactory(user=user), company)
    other = AgentFactory(user=user)
    assert refused(lambda: note(other, company))
    note(other, company, listed=False)
    note(AgentFactory(), company)


def test_the_person_must_be_the_agents_person() -> None:
    agent, stranger, company = AgentFactory(), UserFactory(), CompanyFactory()
    assert refused(lambda: note(agent, company, user=stranger))


def test_an_agent_that_has_shown_something_cannot_be_erased_but_its_person_can() -> None:
    agent = AgentFactory()
    note(agent, CompanyFactory())
    with pytest.raises(RestrictedError):
        agent.delete()
    agent.user.delete()
    assert not ScheduledMailReport.objects.exists()
    assert not ReportedCompany.objects.exists()


def test_companies_reported_names_what_an_agent_has_shown() -> None:
    agent, company = AgentFactory(), CompanyFactory()
    CompanyFactory()
    note(agent, company)
    assert list(agent.companies_reported.all()) == [company]


def test_what_a_person_was_shown_is_found_by_an_index() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    rows = ReportedCompany.objects.listed().filter(user_id__in=[1, 2]).values("company_id")
    assert "reported_once_per_person" in rows.explain()
