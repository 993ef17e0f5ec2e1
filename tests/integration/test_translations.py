"""The catalogues: extracted from Python and templates, checked, compiled, without gettext tools."""

import gettext
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import allauth
import django
import django_celery_beat
import pytest
import unfold
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.core.management import CommandError, call_command

from marketplace import (
    borrowed_admin_messages,
    borrowed_messages,
    borrowed_schedule_messages,
)
from marketplace.translations import (
    catalogue_path,
    compile_all,
    extract_messages,
    messages_of,
    problems,
    update,
)

PYTHON = """
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext

# Translators: stands on a button
LABEL = _("Harbour")
MONTH = pgettext("month", "May")


def text(count):
    return ngettext("%(count)s ship", "%(count)s ships", count)
"""
TEMPLATE = """{% load i18n %}
<ul>
      <li title="it's">{% translate "Pier" %}</li>
  {% comment %}Translators: verb{% endcomment %}
  <li>{% translate "May" context "to be allowed" %}</li>
    {% blocktranslate count n=ships trimmed %}
      One ship of {{ port }}
    {% plural %}
      {{ n }} ships of {{ port }}
    {% endblocktranslate %}
</ul>
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project with one Python file, one template, and things to leave alone."""
    for folder in ("port/templates/port", "port/migrations", "tests"):
        (tmp_path / folder).mkdir(parents=True)
    for package in ("port", "tests"):
        (tmp_path / package / "__init__.py").write_text("")
    (tmp_path / "port" / "texts.py").write_text(PYTHON)
    (tmp_path / "port/templates/port/pier.html").write_text(TEMPLATE)
    (tmp_path / "port/migrations/0001.py").write_text('_("old")')
    (tmp_path / "tests/test_it.py").write_text('_("never shown")')
    return tmp_path


def translate(project: Path, language: str, **translations: str) -> None:
    """Fill every message: by the given text of its first word, else by its source."""
    path = catalogue_path(project, language)
    with path.open("rb") as file:
        catalogue = read_po(file, locale=language)
    for message in catalogue:
        if not message.id:
            continue
        source = message.id if isinstance(message.id, str) else message.id[1]
        text = translations.get(source.split()[-1], source)
        is_plural = not isinstance(message.id, str)
        message.string = tuple([text] * catalogue.num_plurals) if is_plural else text
    with path.open("wb") as file:
        write_po(file, catalogue)


def test_messages_come_from_python_and_templates_with_context_and_comments(
    project: Path,
) -> None:
    messages = {(m.id, m.context): m for m in extract_messages(project) if m.id}
    assert set(messages) == {
        ("Harbour", None),
        ("May", "month"),
        ("May", "to be allowed"),
        (("%(count)s ship", "%(count)s ships"), None),
        ("Pier", None),
        (("One ship of %(port)s", "%(n)s ships of %(port)s"), None),
    }
    assert messages["Harbour", None].auto_comments == ["Translators: stands on a button"]
    assert messages["Harbour", None].locations == [("port/texts.py", 0)]
    assert messages["May", "to be allowed"].auto_comments == ["Translators: verb"]


def test_croatian_has_three_plural_forms_and_german_two(project: Path) -> None:
    update(project)
    for language, forms in (("de", 2), ("hr", 3)):
        with catalogue_path(project, language).open("rb") as file:
            catalogue = read_po(file)
        assert catalogue.num_plurals == forms
        assert f"nplurals={forms}" in catalogue_path(project, language).read_text()


def test_updating_twice_changes_no_byte(project: Path) -> None:
    update(project)
    translate(project, "de")
    update(project)
    first = catalogue_path(project, "de").read_bytes()
    update(project)
    assert catalogue_path(project, "de").read_bytes() == first
    assert b"EMAIL@ADDRESS" not in first


def test_updating_keeps_translations_adds_new_messages_and_drops_gone_ones(
    project: Path,
) -> None:
    update(project)
    translate(project, "de", Harbour="Hafen")
    source = project / "port" / "texts.py"
    source.write_text(PYTHON.replace("pgettext(", 'pgettext("ship", "Mast"), pgettext('))
    (project / "port/templates/port/pier.html").write_text("")

    dropped = update(project)["de"]
    assert sorted(dropped) == ["'May' [to be allowed]", "'One ship of %(port)s'", "'Pier'"]
    text = catalogue_path(project, "de").read_text()
    assert 'msgid "Harbour"\nmsgstr "Hafen"' in text
    assert 'msgctxt "ship"\nmsgid "Mast"\nmsgstr ""' in text


def test_complete_catalogues_have_no_problems(project: Path) -> None:
    update(project)
    for language in ("de", "hr"):
        translate(project, language)
    assert problems(project) == []


def complete(project: Path) -> Path:
    update(project)
    for language in ("de", "hr"):
        translate(project, language)
    update(project)
    return catalogue_path(project, "de")


def test_a_missing_translation_is_named_with_its_file(project: Path) -> None:
    path = complete(project)
    path.write_text(path.read_text().replace('msgstr "Pier"', 'msgstr ""'))
    assert problems(project) == ["de: missing: 'Pier' (port/templates/port/pier.html)"]


def test_a_missing_plural_form_is_missing(project: Path) -> None:
    path = complete(project)
    path.write_text(path.read_text().replace('msgstr[1] "%(count)s ships"', 'msgstr[1] ""'))
    assert problems(project) == ["de: missing: '%(count)s ship' (port/texts.py)"]


def test_a_fuzzy_translation_is_a_problem(project: Path) -> None:
    path = complete(project)
    fuzzy = '#, fuzzy\nmsgid "Pier"'
    path.write_text(path.read_text().replace('msgid "Pier"', fuzzy))
    assert problems(project) == ["de: fuzzy: 'Pier'"]


def test_an_obsolete_translation_is_a_problem(project: Path) -> None:
    path = complete(project)
    path.write_text(path.read_text() + '\n#~ msgid "Gone"\n#~ msgstr "Weg"\n')
    assert problems(project) == ["de: obsolete: 'Gone'"]


def test_other_placeholders_are_a_problem(project: Path) -> None:
    path = complete(project)
    wrong = path.read_text().replace('msgstr[1] "%(n)s ships', 'msgstr[1] "%(m)s ships')
    path.write_text(wrong)
    found = problems(project)
    assert len(found) == 1
    assert found[0].startswith("de: placeholders differ: 'One ship of %(port)s'")


def test_the_command_fails_with_the_list_of_problems(project: Path) -> None:
    update(project)
    with pytest.raises(CommandError) as error:
        call_command("translations", "--check", root=project)
    assert "hr: missing: 'Harbour' (port/texts.py)" in str(error.value)
    assert str(error.value).endswith("12 problems")


def test_compiled_catalogues_are_read_by_python(project: Path) -> None:
    update(project)
    translate(project, "hr", ships="%(count)s brodova")
    assert [path.name for path in compile_all(project)] == ["django.mo", "django.mo"]
    with catalogue_path(project, "hr").with_suffix(".mo").open("rb") as file:
        catalogue = gettext.GNUTranslations(file)
    assert catalogue.ngettext("%(count)s ship", "%(count)s ships", 5) == "%(count)s brodova"
    assert catalogue.pgettext("month", "May") == "May"
    assert not list(project.rglob("*.new"))


def test_the_catalogues_of_this_project_are_complete() -> None:
    assert problems(settings.BASE_DIR) == []


BORROWED = [
    (django, borrowed_messages.DJANGO),
    (django, borrowed_admin_messages.DJANGO),
    (allauth, borrowed_messages.ALLAUTH),
    (unfold, borrowed_admin_messages.UNFOLD),
    (django_celery_beat, borrowed_schedule_messages.BEAT),
]


@pytest.mark.parametrize(("package", "borrowed"), BORROWED)
def test_borrowed_messages_are_those_of_their_packages(
    package: ModuleType, borrowed: Sequence[str]
) -> None:
    assert len(borrowed) > 5
    assert {str(text) for text in borrowed} <= said_by(package)


def said_by(package: ModuleType) -> set[str]:
    """Every message in the package's Python files and templates."""
    folder = Path(str(package.__file__)).parent
    catalogues = [path for path in folder.rglob("*.po") if path.parts[-3] in ("de", "en")]
    said: set[str] = set()
    for path in catalogues:
        with path.open("rb") as file:
            said |= {_singular(message.id) for message in read_po(file)}
    sources = [*folder.rglob("*.html"), *folder.glob("*.py"), *folder.glob("mixins/*.py")]
    for path in sources if package in (unfold, django_celery_beat) else ():
        said |= {_singular(text) for _line, text, _notes, _context in messages_of(path)}
    return said


def _singular(text: object) -> str:
    return str(text[0] if isinstance(text, list | tuple) else text)


@pytest.mark.parametrize("language", ["de", "hr"])
def test_people_are_addressed_formally(language: str) -> None:
    with catalogue_path(settings.BASE_DIR, language).open("rb") as file:
        texts = [str(message.string) for message in read_po(file) if message.id]
    familiar = {"de": r"\b([Dd]u|[Dd]ein\w*|[Dd]ir|[Dd]ich)\b", "hr": r"\b(ti|tvoj\w*)\b"}
    assert [text for text in texts if re.search(familiar[language], text)] == []
