"""What the schema itself guarantees about campaigns, codes and batches (ADR 10)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from campaigns.models import Campaign, CampaignBatch, CampaignContent, CodePool, PromoCode
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 3, 9, tzinfo=UTC)
DAY = timedelta(days=1)


def campaign(**fields: Any) -> Campaign:
    return Campaign.objects.create(**{"name": "Advent", "channels": ["email"]} | fields)


def batch(of: Campaign, **fields: Any) -> CampaignBatch:
    terms = {"channel": "email", "partition": 3, "sequence": 1, "user_ids": [3, 35], "size": 2}
    return CampaignBatch.objects.create(campaign=of, **terms | fields)


def code(**fields: Any) -> PromoCode:
    pool, _ = CodePool.objects.get_or_create(name="Ten per cent")
    return PromoCode.objects.create(**{"pool": pool, "code": "ADVENT24"} | fields)


def text(**fields: Any) -> CampaignContent:
    terms = {"channel": "email", "language": "en", "subject": "Advent", "body": "{code}"}
    return CampaignContent.objects.create(**{"campaign": campaign()} | terms | fields)


def refused_by(constraint: str, make: Any, *args: Any, **fields: Any) -> bool:
    """Whether this constraint, and no other, refuses the row."""
    with pytest.raises(IntegrityError, match=f'"{constraint}"'), transaction.atomic():
        make(*args, **fields)
    return True


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("campaign_state_known", {"state": "sleeping"}),
        ("campaign_channels_known", {"channels": []}),
        ("campaign_channels_known", {"channels": ["email", "pigeon"]}),
        ("campaign_scheduled_has_start", {"state": "scheduled"}),
        ("campaign_ends_after_start", {"starts_at": NOW, "not_after": NOW}),
        ("campaign_joined_ordered", {"joined_from": NOW, "joined_until": NOW - DAY}),
        ("campaign_seen_ordered", {"seen_from": NOW, "seen_until": NOW - DAY}),
        ("campaign_started_has_time", {"state": "preparing"}),
        ("campaign_running_is_frozen", {"state": "running", "started_at": NOW}),
        ("campaign_ended_has_time", {"state": "cancelled"}),
        ("campaign_ended_has_time", {"ended_at": NOW}),
        ("campaign_refusal_of_a_draft", {"state": "cancelled", "ended_at": NOW,
                                         "refusal": "short_pool"}),
        ("campaign_activity_known", {"activity": "asleep"}),
    ],
)  # fmt: skip
def test_no_campaign_contradicts_itself(constraint: str, fields: dict[str, Any]) -> None:
    assert refused_by(constraint, campaign, **fields)


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("campaign_content_says_something", {"subject": ""}),
        ("campaign_content_says_something", {"body": ""}),
        ("campaign_content_whole_button", {"button_label": "Redeem"}),
        ("campaign_content_language_known", {"language": "fr"}),
        ("campaign_content_channel_known", {"channel": "fax"}),
    ],
)
def test_a_text_is_whole(constraint: str, fields: dict[str, Any]) -> None:
    assert refused_by(constraint, text, **fields)


def test_a_campaign_has_one_text_a_channel_and_language() -> None:
    first = text()
    text(campaign=first.campaign, language="de")
    assert refused_by("campaign_content_once", text, campaign=first.campaign)


def test_a_code_stands_once_in_the_whole_database() -> None:
    code()
    assert refused_by("promo_code_once", code, pool=CodePool.objects.create(name="Twenty"))


@pytest.mark.parametrize("unreadable", ["advent24", "ABC", "-ADVENT", "AD VENT"])
def test_a_code_can_be_typed(unreadable: str) -> None:
    assert refused_by("promo_code_readable", code, code=unreadable)


def test_a_code_is_free_or_a_campaigns_and_a_person_has_one() -> None:
    person, advent = UserFactory.create(), campaign()
    assert refused_by("promo_code_free_or_reserved", code, reserved_at=NOW)
    assert refused_by("promo_code_free_or_reserved", code, redeemed_at=NOW)
    reserved = {"campaign": advent, "reserved_for": person, "reserved_at": NOW}
    code(**reserved)
    assert refused_by("promo_code_one_a_person", code, code="ADVENT25", **reserved)
    code(code="ADVENT25", **reserved | {"campaign": campaign(name="New year")})


def test_one_batch_of_a_partition_and_channel_is_sent_at_a_time() -> None:
    sending = {"state": "sending", "lease_expires_at": NOW}
    batch(campaign(), **sending)
    other = campaign(name="New year")
    assert refused_by("batch_one_at_a_time", batch, other, **sending)
    batch(other, partition=4, **sending)
    batch(other, channel="sms", **sending)
    batch(other)


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("batch_size_true", {"size": 3}),
        ("batch_size_true", {"size": 0, "user_ids": []}),
        ("batch_size_true", {"size": 501, "user_ids": list(range(501))}),
        ("batch_partition_known", {"partition": 32}),
        ("batch_lease_while_sending", {"state": "sending"}),
        ("batch_lease_while_sending", {"lease_expires_at": NOW}),
        ("batch_ended_has_time", {"state": "done"}),
        ("batch_state_known", {"state": "lost"}),
        ("batch_channel_known", {"channel": "fax"}),
    ],
)
def test_no_batch_contradicts_itself(constraint: str, fields: dict[str, Any]) -> None:
    assert refused_by(constraint, batch, campaign(), **fields)


def test_a_batch_comes_once() -> None:
    advent = campaign()
    batch(advent)
    assert refused_by("batch_once", batch, advent)
