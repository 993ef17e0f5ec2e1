"""Keywords that no company can ever match are refused at their field."""

import pytest
from django.test import Client

from agents.models import ScheduledMailReport
from listings.keywords import match_nothing
from tests.factories import AgentFactory, CompanyFactory, UserFactory

pytestmark = pytest.mark.django_db
# "the" is a filler word in English alone: a German text may hold it as a word.
HOPELESS = ["-", "😀", "in", "so was", "& | !", "'"]
TEXTS = {
    "en": "No company can match this.",
    "de": "Dazu kann kein Unternehmen passen.",
    "hr": "Ovome ne može odgovarati nijedna tvrtka.",
}


@pytest.mark.parametrize("keywords", HOPELESS)
def test_signs_and_filler_words_match_nothing(keywords: str) -> None:
    assert match_nothing(keywords)


@pytest.mark.parametrize("keywords", ["", "oak", "the oak", "the", "pilana", "4", "C++"])
def test_a_word_may_match(keywords: str) -> None:
    assert not match_nothing(keywords)


@pytest.mark.parametrize("language", TEXTS)
def test_an_agent_needs_keywords_that_can_match(client: Client, language: str) -> None:
    person = UserFactory.create(language=language)
    client.force_login(person)
    form = {"name": "Hope", "frequency": "daily", "keywords": "-"}
    response = client.post("/agents/new/", form)
    assert list(response.context["form"].errors) == ["keywords"]
    assert TEXTS[language] in response.content.decode()
    assert not ScheduledMailReport.objects.filter(name="Hope").exists()


@pytest.mark.parametrize("keywords", HOPELESS)
def test_a_search_says_at_the_field_that_nothing_can_match(client: Client, keywords: str) -> None:
    CompanyFactory.create(title="The sawmill")
    response = client.get("/companies/", {"keywords": keywords})
    assert list(response.context["form"].errors) == ["keywords"]
    assert 'id="id_keywords_error"' in response.content.decode()


@pytest.mark.parametrize("keywords", HOPELESS)
def test_the_admin_refuses_them_too(client: Client, keywords: str) -> None:
    client.force_login(UserFactory.create(is_staff=True, is_superuser=True))
    agent = AgentFactory.create(keywords="oak")
    form = {"name": "Hope", "frequency": "daily", "is_active": "on", "keywords": keywords}
    url = f"/admin/agents/scheduledmailreport/{agent.pk}/change/"
    response = client.post(url, form)
    assert list(response.context["adminform"].form.errors) == ["keywords"]
    agent.refresh_from_db()
    assert agent.keywords == "oak"
