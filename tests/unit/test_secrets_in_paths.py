"""The log does not repeat the tokens of mailed links."""

import logging

import pytest

from config.secrets_in_paths import LONGEST_LINE, ShortPaths


def shown(message: str, *args: object, name: str = "django.request") -> str:
    record = logging.LogRecord(name, logging.WARNING, "", 0, message, args, None)
    assert ShortPaths().filter(record)
    return record.getMessage()


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/mail/unsubscribe/Hm1Lvq75_abcdefghijklmnop/all/", "/mail/unsubscribe/Hm1Lvq…/all/"),
        ("/companies/1234567/", "/companies/1234567/"),
        ("/accounts/password/reset/key/3-dabcd1-0123456789abcdef/",
         "/accounts/password/reset/key/3-dabc…/"),
        ("/" + "x" * 5000 + "/100%/", "/xxxxxx…/100%/"),
    ],
)  # fmt: skip
def test_long_parts_of_a_path_are_shortened(path: str, wanted: str) -> None:
    assert shown("%s: %s", "Not Found", path) == f"Not Found: {wanted}"


def test_a_line_is_bounded() -> None:
    assert len(shown("%s", "/a b" * 5000)) == LONGEST_LINE


def test_other_lines_stay() -> None:
    assert shown("batch %s", "/" + "y" * 40, name="notifications.sending") == "batch /" + "y" * 40


def test_the_request_is_not_written_out() -> None:
    record = logging.LogRecord("django.request", logging.WARNING, "", 0, "x", (), None)
    record.request = "<WSGIRequest: GET '/mail/unsubscribe/secret/'>"
    ShortPaths().filter(record)
    assert not hasattr(record, "request")
