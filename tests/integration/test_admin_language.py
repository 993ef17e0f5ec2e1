"""The admin speaks German and Croatian, also where Django, its design and beat do not."""

import pytest
from django.test import Client

from tests.factories import CompanyFactory, UserFactory

pytestmark = pytest.mark.django_db
TEXTS = {
    "de": {
        "index": ["Mails pro Stunde", "Periodische Aufgaben"],
        "error": "Bitte die unten aufgeführten Fehler korrigieren.",
        "changed": "Unternehmen „<a",
        "list": ["Filter", "Suchbegriff eingeben"],
    },
    "hr": {
        "index": ["Poruke na sat", "Periodični zadaci"],
        "error": "Ispravite navedene greške.",
        "changed": "Uspješno promijenjeno: tvrtka „<a",
        "list": ["Filtri", "Upišite pojam"],
    },
}
ENGLISH = [
    "Authentication and Authorization", "Periodic Tasks", "Please correct", "was changed",
    "successfully", "Type to search", "Apply Filters", "Search apps", "Return to site",
]  # fmt: skip


@pytest.mark.parametrize("language", TEXTS)
def test_the_admin_speaks_the_operators_language(client: Client, language: str) -> None:
    client.force_login(UserFactory.create(is_staff=True, is_superuser=True, language=language))
    company = CompanyFactory.create()
    url = f"/admin/listings/company/{company.pk}/change/"
    form = {
        "title": "Other",
        "industry": company.industry_id,
        "region": company.region_id,
        "currency": "EUR",
        "status": "draft",
    }
    texts = TEXTS[language]
    pages = {
        "index": client.get("/admin/"),
        "error": client.post(url, {**form, "title": ""}),
        "changed": client.post(url, form, follow=True),
        "list": client.get("/admin/listings/company/"),
        "crontab": client.get("/admin/django_celery_beat/crontabschedule/add/"),
    }
    for name, page in pages.items():
        html = page.content.decode()
        wanted = texts.get(name, [])
        for text in [wanted] if isinstance(wanted, str) else wanted:
            assert text in html, name
        assert [text for text in ENGLISH if text in html] == [], name
