"""Messages: what may travel together, and what is filled in for each recipient."""

from typing import Any

import pytest

from notifications.messages import Message


def message(**fields: Any) -> Message:
    plain: dict[str, Any] = {"subject": "For -name-", "text": "-name-: -code-", "category": "promo"}
    return Message(**{"to": "ana@example.com", **plain, **fields})


def test_substitutions_are_made_in_subject_text_and_html() -> None:
    filled = message(html="<b>-code-</b>", substitutions={"-name-": "Ana", "-code-": "X1"})
    made = filled.filled_in()
    assert (made.subject, made.text, made.html) == ("For Ana", "Ana: X1", "<b>X1</b>")
    assert made.substitutions == {}


def test_a_value_that_looks_like_a_tag_stays_as_it_is() -> None:
    made = message(substitutions={"-name-": "-code-", "-code-": "X1"}).filled_in()
    assert (made.subject, made.text) == ("For -code-", "-code-: X1")


def test_a_line_break_in_a_value_smuggles_no_header_in() -> None:
    made = message(substitutions={"-name-": "Ana\r\nBcc: eve@example.com"}).filled_in()
    assert made.subject == "For Ana Bcc: eve@example.com"


def test_recipient_headers_and_substitutions_do_not_keep_messages_apart() -> None:
    first = message(headers={"List-Unsubscribe": "<1>"}, substitutions={"-code-": "1"})
    other = message(to="ivo@example.com", to_name="Ivo", headers={"List-Unsubscribe": "<2>"})
    assert first.shared == other.shared


@pytest.mark.parametrize(
    "difference",
    [
        {"subject": "Other"},
        {"text": "Other"},
        {"html": "<p>Other</p>"},
        {"category": "digest"},
        {"from_address": "other@example.com"},
        {"headers": {"reply-to": "other@example.com"}},
    ],
)
def test_whatever_one_request_says_once_keeps_messages_apart(difference: dict[str, Any]) -> None:
    assert message(**difference).shared != message().shared
