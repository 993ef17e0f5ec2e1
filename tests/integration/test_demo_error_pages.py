"""The demo shows its visitors the site's own error pages, and serves every style and script."""

import subprocess
import sys

import pytest

from tests.own_processes import environment

PAGES = """
import django
django.setup()
from django.test import Client
client = Client(raise_request_exception=False)
print(client.get('/nowhere/').content.decode())
print(client.get('/static/marketplace/marketplace.css').status_code)
"""


@pytest.mark.parametrize(("debug", "is_djangos"), [("false", False), ("true", True)])
def test_a_page_that_is_not_there_is_the_sites_own(debug: str, is_djangos: bool) -> None:
    variables = environment() | {"ENVIRONMENT": "development", "DEBUG": debug}
    shown = subprocess.run(
        [sys.executable, "-c", PAGES], env=variables, check=True, capture_output=True, text=True
    ).stdout
    assert ("URLconf" in shown) is is_djangos
    assert shown.rstrip().endswith("200")
