"""A filled-in stencil says what Django's templates say of the same values."""

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import mark_safe

from agents.mail_stencils import MARKER, fill_in

PARTS = {
    "section": ["name", "criteria", "cards_html", "cards_text", "more", "more_url"],
    "reason": ["why", "edit_url"],
    "digest": [
        *["language", "is_welcome", "subject", "preheader", "heading", "has_companies"],
        *["agents_url", "times_url", "unsubscribe_url", "site_url", "operator"],
        *["operator_address", "sections", "reasons"],
    ],
}
HOSTILE = [
    "plain",
    "<script>alert('x')</script> & \"quoted\" {{ name }} {% now %} %s %(x)s",
    f"Grüße 🥐 {MARKER.format('name')} {MARKER.format('subject')}\r\n\\1 \ue000 \ue001",
    "",
]


def plainly(template: str, language: str, values: dict[str, str]) -> str:
    with translation.override(language):
        return render_to_string(template, values).removesuffix("\n")


@pytest.mark.parametrize("language", ["en", "de", "hr"])
@pytest.mark.parametrize("kind", ["txt", "html"])
@pytest.mark.parametrize("part", PARTS)
def test_every_value_stands_where_and_as_the_template_puts_it(
    part: str, kind: str, language: str
) -> None:
    template = f"agents/mail/{part}.{kind}"
    for text in HOSTILE:
        values = {name: f"{text}{name}" if text else "" for name in PARTS[part]}
        assert fill_in(template, language, values) == plainly(template, language, values)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", ["txt", "html"])
def test_each_value_may_be_missing(part: str, kind: str) -> None:
    template = f"agents/mail/{part}.{kind}"
    for missing in PARTS[part]:
        values = {name: "" if name == missing else f"<{name}>" for name in PARTS[part]}
        assert fill_in(template, "de", values) == plainly(template, "de", values)


def test_only_safe_strings_stay_as_they_are_in_html() -> None:
    values = {"why": mark_safe("<b>bold</b>"), "edit_url": "https://example.com/?a=1&b=2"}
    filled = fill_in("agents/mail/reason.html", "en", values)
    assert "<b>bold</b>" in filled
    assert 'href="https://example.com/?a=1&amp;b=2"' in filled
    assert "<b>bold</b>" in fill_in("agents/mail/reason.txt", "en", values)


def test_the_same_template_speaks_each_language() -> None:
    values = {"why": "x", "edit_url": "y"}
    said = {fill_in("agents/mail/reason.txt", language, values) for language in ("en", "de", "hr")}
    assert len(said) == 3
