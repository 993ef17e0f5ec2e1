"""Ids in providers' hands: they lead back to the delivery, and nobody else can make one."""

import re

import pytest
from pytest_django import Settings

from notifications.providers.opaque_ids import delivery_id_of, opaque_id


@pytest.mark.parametrize("delivery_id", [1, 17, 2**62])
def test_an_opaque_id_leads_back_to_its_delivery(delivery_id: int) -> None:
    text = opaque_id(delivery_id)
    assert delivery_id_of(text) == delivery_id
    assert re.fullmatch(r"[\w.-]{40,70}", text)


@pytest.mark.parametrize("text", ["", "17", "H.", ".x", "H.abc", "ä.b", "H" * 1000])
def test_what_we_did_not_make_leads_nowhere(text: str) -> None:
    assert delivery_id_of(text) is None


def test_another_number_with_our_signature_leads_nowhere() -> None:
    _number, signature = opaque_id(17).split(".")
    assert delivery_id_of(f"I.{signature}") is None


def test_an_id_of_another_installation_leads_nowhere(settings: Settings) -> None:
    text = opaque_id(17)
    settings.SECRET_KEY = "another"
    assert delivery_id_of(text) is None
