"""A filled ledger and what grows beside it, written by the database itself: INSERT … SELECT.

The same rows for the same sizes. Deliveries were planned evenly over the past 90 days; most are
digests and were sent, a few are in every other state; events, runs, shown companies and the lists
of people and addresses are in proportion.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from marketplace.models import User


@dataclass(frozen=True, slots=True)
class LedgerSize:
    """How many deliveries, in a marketplace of so many people, agents and companies."""

    deliveries: int
    users: int
    agents: int
    companies: int


# `n` is the number of a row, `h` a number of chance that belongs to it.
DELIVERIES_SQL = """
INSERT INTO notifications_delivery (
    idempotency_key, kind, channel, address, subject_id, state, reason, last_answer, attempts,
    next_attempt_at, lease_token, lease_expires_at, provider, provider_message_id, created_at,
    dispatched_at, finished_at, user_id, last_event, last_event_at
)
SELECT
    kind || ':' || n, kind, channel, 'person' || person || '@example.com',
    CASE WHEN kind = 'digest' THEN n %% %(runs)s + 1 END, state,
    CASE state
        WHEN 'dead' THEN (ARRAY['refused', 'attempts_used_up'])[h %% 2 + 1]
        WHEN 'cancelled' THEN
            (ARRAY['expired', 'suppressed', 'switched_off', 'nothing_left'])[h %% 4 + 1]
        WHEN 'uncertain' THEN 'no_answer' ELSE '' END,
    CASE WHEN state = 'dead' THEN '550 no such mailbox' ELSE '' END,
    CASE state WHEN 'pending' THEN 0 WHEN 'dead' THEN 8 ELSE 1 END, at,
    CASE WHEN leased THEN gen_random_uuid() END,
    CASE WHEN leased THEN %(now)s + interval '5 minutes' END,
    CASE WHEN handed_over THEN provider ELSE '' END,
    CASE WHEN handed_over THEN md5(n::text) ELSE '' END,
    at, CASE WHEN handed_over THEN at + interval '40 seconds' END,
    CASE WHEN state IN ('sent', 'dead', 'cancelled') THEN at + interval '41 seconds' END,
    CASE WHEN h %% 211 = 0 THEN NULL ELSE person END,
    CASE WHEN state = 'sent' AND h %% 10 < 7 THEN 'delivered' ELSE '' END,
    CASE WHEN state = 'sent' AND h %% 10 < 7 THEN at + interval '1 minute' END
FROM (
    SELECT *, state IN ('claimed', 'dispatching') AS leased,
           state IN ('sent', 'dead', 'uncertain', 'dispatching') AS handed_over
    FROM (
        SELECT n, h, h %% %(users)s + 1 AS person,
            %(now)s - interval '90 days' * (1 - n::float / %(deliveries)s) AS at,
            CASE WHEN h %% 100 < 90 THEN 'digest' WHEN h %% 100 < 97 THEN 'account'
                 ELSE 'welcome' END AS kind,
            CASE WHEN h %% 97 = 0 THEN 'sms' ELSE 'email' END AS channel,
            CASE WHEN h %% 97 = 0 THEN 'twilio' WHEN h %% 10 = 0 THEN 'smtp'
                 ELSE 'sendgrid' END AS provider,
            CASE WHEN n > %(deliveries)s * 0.995 THEN
                     (ARRAY['pending', 'pending', 'pending', 'claimed', 'dispatching'])[h %% 5 + 1]
                 WHEN h %% 1000 = 0 THEN 'uncertain' WHEN h %% 100 = 1 THEN 'dead'
                 WHEN h %% 100 < 4 THEN 'cancelled' ELSE 'sent' END AS state
        FROM (
            SELECT n, (n::bigint * 2654435761 %% 4294967296) AS h
            FROM generate_series(1, %(deliveries)s) AS n
        ) AS numbered
    ) AS decided
) AS row
"""
EVENTS_SQL = """
INSERT INTO notifications_deliveryevent (
    provider, provider_event_id, kind, delivery_id, address, detail, happened_at, received_at, raw
)
SELECT delivery.provider, event.kind || '-' || delivery.id, event.kind, delivery.id,
       delivery.address, '', delivery.dispatched_at + event.later,
       delivery.dispatched_at + event.later, '{"event": "as received"}'
FROM notifications_delivery AS delivery JOIN (
    VALUES ('delivered', 10, 7, interval '20 seconds'), ('opened', 10, 3, interval '2 hours'),
           ('clicked', 20, 1, interval '3 hours'), ('bounced', 200, 1, interval '1 minute'),
           ('complained', 5000, 1, interval '1 day'), ('unsubscribed', 1000, 1, interval '1 day')
) AS event (kind, of_so_many, so_many, later)
  ON delivery.id %% event.of_so_many < event.so_many
WHERE delivery.state = 'sent'
"""
RUNS_SQL = """
INSERT INTO agents_reportrun (
    frequency, occurrence, cutoff, started_at, finished_at, due, eligible, matched, duplicates,
    digests, reported, waiting, deferred
)
SELECT (ARRAY['hourly', 'daily', 'weekly', 'monthly'])[n %% 4 + 1], at, at, at,
       at + interval '2 seconds', 100, 95, 900, 200, 90, 700, 10, n %% 7
FROM generate_series(1, %(runs)s) AS n,
     LATERAL (SELECT %(now)s - interval '1 hour' * ((%(runs)s - n) / 4) AS at) AS fired
"""
SECTIONS_SQL = """
INSERT INTO agents_digestsection (
    delivery_id, agent_id, criteria, former_criteria, frequency, window_from, waiting
)
SELECT id, user_id, '{}', '[]', 'weekly', created_at - interval '7 days', 0
FROM notifications_delivery WHERE kind = 'digest' AND user_id IS NOT NULL
"""
# Agents belong to people in turn, so a person has the numbers n, n + users, n + 2 × users …
SHOWN_SQL = """
INSERT INTO agents_reportedcompany (user_id, agent_id, company_id, is_listed, reported_at)
SELECT agent.user_id, agent.id,
       (agent.user_id * 7 + (agent.id - 1) / %(users)s * 50 + n) %% %(companies)s + 1,
       true, %(now)s - interval '1 day' * n
FROM agents_scheduledmailreport AS agent, generate_series(0, 49) AS n
ON CONFLICT DO NOTHING
"""
OTHERS_SQL = (
    """
INSERT INTO notifications_deadletteraction (delivery_id, action, note, operator, done_at)
SELECT id, 'discarded', 'no such person', 'operator@example.com', finished_at
FROM notifications_delivery WHERE state = 'cancelled' AND id %% 10 = 0
""",
    """
INSERT INTO notifications_suppression (email, cause, note, created_at)
SELECT 'barred' || n || '@example.com',
       (ARRAY['bounce', 'bounce', 'complaint', 'unsubscribe', 'manual'])[n %% 5 + 1], '', %(now)s
FROM generate_series(1, %(users)s * 5) AS n
""",
    """
INSERT INTO notifications_spamreport (email, source, reported_at)
SELECT 'angry' || n || '@example.com', 'sendgrid', %(now)s - interval '1 hour' * n
FROM generate_series(1, %(users)s) AS n
""",
    """
INSERT INTO notifications_limitchange (
    provider, field, before, after, by_command, changed_at, operator_id
)
SELECT CASE WHEN n %% 2 = 0 THEN 'sendgrid' ELSE '' END,
       CASE WHEN n %% 2 = 0 THEN 'per_second' ELSE 'batch_size' END, n::text, (n + 1)::text, '',
       %(now)s, n %% %(users)s + 1
FROM generate_series(1, 2000) AS n
""",
    """
INSERT INTO notifications_providerquota (provider, per_second, pause_reason, updated_at)
SELECT name, 100, '', %(now)s FROM unnest(ARRAY['sendgrid', 'smtp', 'twilio']) AS name
ON CONFLICT DO NOTHING
""",
    """
INSERT INTO marketplace_suspension (user_id, reason, starts_at, ends_at, created_at)
SELECT n, 'abuse', %(now)s - interval '3 days',
       CASE WHEN n %% 20 = 0 THEN %(now)s - interval '1 day' END, %(now)s
FROM generate_series(10, %(users)s, 10) AS n
""",
    """
INSERT INTO marketplace_promotionconsent (user_id, channel, wording, language, given_at)
SELECT n, channel, 'I agree.', 'en', %(now)s
FROM generate_series(1, %(users)s) AS n, unnest(ARRAY['email', 'sms']) AS channel
""",
    """
INSERT INTO marketplace_personaltoken (user_id, name, prefix, hash, created_at, expires_at)
SELECT n, 'my program', left(md5(n::text), 8), md5(n::text), %(now)s, %(now)s + interval '90 days'
FROM generate_series(1, %(users)s) AS n
""",
    """
INSERT INTO usersessions_usersession (
    user_id, created_at, ip, last_seen_at, session_key, user_agent, data
)
SELECT n, %(now)s, '192.0.2.7', %(now)s, md5(n::text), 'a browser', '{}'
FROM generate_series(1, %(users)s) AS n
""",
    """
INSERT INTO mfa_authenticator (user_id, type, data, created_at)
SELECT n, 'totp', '{}', %(now)s FROM generate_series(1, %(users)s, 4) AS n
""",
    """
INSERT INTO listings_enquiry (company_id, sender_id, message, sent_at)
SELECT n %% %(companies)s + 1, n %% %(users)s + 1, 'Is it still for sale?',
       %(now)s - interval '1 minute' * n
FROM generate_series(1, %(users)s * 5) AS n
""",
    """
UPDATE listings_company SET
    status = CASE WHEN id %% 50 = 0 THEN 'draft' WHEN id %% 50 = 1 THEN 'withdrawn' ELSE status END,
    currency = CASE WHEN id %% 200 = 2 THEN 'CHF' ELSE currency END
WHERE id %% 50 IN (0, 1) OR id %% 200 = 2
""",
    """
INSERT INTO django_admin_log (
    action_time, object_id, object_repr, action_flag, change_message, content_type_id, user_id
)
SELECT %(now)s, n::text, 'a delivery', 2, 'Requeued.',
       (SELECT min(id) FROM django_content_type), %(operator)s
FROM generate_series(1, %(users)s * 5) AS n
""",
)


def fill(size: LedgerSize, now: datetime, operator: User) -> None:
    """Write it all beside the people, agents and companies that are there, numbered from 1.

    `operator` has done what the admin's log tells.
    """
    values: dict[str, Any] = {
        "now": now,
        "deliveries": size.deliveries,
        "users": size.users,
        "companies": size.companies,
        "runs": max(size.deliveries // 100, 4),
        "operator": operator.pk,
    }
    statements = (DELIVERIES_SQL, EVENTS_SQL, RUNS_SQL, SECTIONS_SQL, SHOWN_SQL, *OTHERS_SQL)
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, values)
        cursor.execute("VACUUM ANALYZE")
