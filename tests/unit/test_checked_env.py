"""Which variables are refused, and how that is told."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.checked_env import CHECKS, REQUIRED, read_environment
from config.outbox_place import outbox_dir

PRODUCTION = {
    "ENVIRONMENT": "production",
    "SECRET_KEY": "not-a-secret",
    "DATABASE_URL": "postgres://user:password@db.example.com:5432/marktlotse",
    "REDIS_URL": "redis://:password@redis.example.com:6379/0",
    "ALLOWED_HOSTS": "marktlotse.example",
    "SITE_URL": "https://marktlotse.example",
    "EMAIL_PROVIDER": "smtp",
    "EMAIL_HOST": "smtp.example.com",
    "DEFAULT_FROM_EMAIL": "Marktlotse <post@marktlotse.example>",
}


@pytest.fixture(autouse=True)
def _good_values(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*CHECKS, "SMS_PROVIDER", "OUTBOX_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in PRODUCTION.items():
        monkeypatch.setenv(name, value)


def refused() -> str:
    with pytest.raises(ImproperlyConfigured) as caught:
        read_environment(Path("no.env"))
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "nonsense"),
        ("DATABASE_URL", "sqlite:///x.db"),
        ("DATABASE_URL", "postgres://127.0.0.1:abc/x"),
        ("DATABASE_URL", "postgres://127.0.0.1:5432"),
        ("DATABASE_URL", "mysql://127.0.0.1/x"),
        ("REDIS_URL", "nonsense"),
        ("REDIS_URL", "http://127.0.0.1:6379/0"),
        ("REDIS_URL", "redis://127.0.0.1:abc/0"),
        ("REDIS_URL", "redis://127.0.0.1:6379/first"),
        ("CELERY_BROKER_URL", "kafka://127.0.0.1"),
        ("CELERY_BROKER_URL", "amqp"),
        ("SITE_URL", "marktlotse.example"),
        ("DEFAULT_FROM_EMAIL", "Marktlotse"),
        ("DEFAULT_FROM_EMAIL", "a@example.com, b@example.com"),
        ("DEFAULT_FROM_EMAIL", "Marktlotse <post>"),
        ("EMAIL_PORT", "abc"),
        ("EMAIL_PORT", "0"),
        ("EMAIL_PORT", "65536"),
        ("EMAIL_PORT", ""),
        ("EMAIL_TIMEOUT", "0"),
        ("CONN_MAX_AGE", "x"),
        ("CONN_MAX_AGE", "-1"),
        ("EMAIL_USE_TLS", "vielleicht"),
        ("EMAIL_USE_SSL", ""),
        ("SENDGRID_SANDBOX", "2"),
        ("SECURE_SSL_REDIRECT", "maybe"),
        ("LOG_LEVEL", "LAUT"),
        ("TIME_ZONE", "Europe/Atlantis"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_its_variables_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert refused() == f"{name} must be {CHECKS[name][1]}. See .env.example for what each means."


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "postgresql://user:p%40ss@[::1]:5432/name?sslmode=require"),
        ("DATABASE_URL", "postgres://marktlotse:@postgres:5432/marktlotse"),
        ("REDIS_URL", "rediss://127.0.0.1"),
        ("CELERY_BROKER_URL", ""),
        ("CELERY_BROKER_URL", "amqp://guest:guest@127.0.0.1:5672/virtual-host"),
        ("CELERY_BROKER_URL", "sqs://?region=eu-central-1"),
        ("CELERY_BROKER_URL", "memory://"),
        ("DEFAULT_FROM_EMAIL", "post@marktlotse.example"),
        ("DEFAULT_FROM_EMAIL", '"Müller, Ana" <ana@example.com>'),
        ("EMAIL_USE_TLS", "Yes"),
        ("CONN_MAX_AGE", "0"),
        ("LOG_LEVEL", "DEBUG"),
    ],
)
def test_usable_values_are_left_alone(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert read_environment(Path("no.env")).ENVIRON[name] == value


def test_everything_that_is_wrong_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SECRET_KEY", "SITE_URL"):
        monkeypatch.delenv(name)
    for name, value in {
        "EMAIL_PORT": "abc",
        "DATABASE_URL": "mysql://user:very-secret@127.0.0.1/x",
        "SMS_PROVIDER": "pigeon",
        "EMAIL_USE_TLS": "true",
        "EMAIL_USE_SSL": "1",
    }.items():
        monkeypatch.setenv(name, value)
    told = refused()
    assert told == (
        "ENVIRONMENT is production, but these variables are not set: SECRET_KEY, SITE_URL. "
        "SMS_PROVIDER must be twilio, outbox or empty. "
        "DATABASE_URL must be postgres://user:password@host:port/name. "
        "EMAIL_PORT must be a whole number from 1 to 65535. "
        "EMAIL_USE_TLS and EMAIL_USE_SSL must not both be true. "
        "See .env.example for what each means."
    )


def test_production_needs_every_required_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PRODUCTION, "ENVIRONMENT"):
        monkeypatch.delenv(name, raising=False)
    assert ", ".join(REQUIRED) in refused()
    monkeypatch.setenv("ENVIRONMENT", "development")
    read_environment(Path("no.env"))


def test_celery_needs_a_broker_of_its_own_beside_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "unix:///run/redis.sock")
    assert "CELERY_BROKER_URL must be set" in refused()
    monkeypatch.setenv("CELERY_BROKER_URL", "amqp://127.0.0.1")
    read_environment(Path("no.env"))


def test_each_database_has_an_outbox_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    env, base = read_environment(Path("no.env")), Path("/checkout")
    here = {"HOST": "127.0.0.1", "PORT": 5432, "NAME": "shop/../a"}
    assert outbox_dir(env, here, base) == base / ".local/outbox/127.0.0.1-5432-shop%2F..%2Fa"
    there = outbox_dir(env, {**here, "PORT": 5433}, base)
    assert there == base / ".local/outbox/127.0.0.1-5433-shop%2F..%2Fa"
    monkeypatch.delenv("DATABASE_URL")
    embedded = {**here, "NAME": "marktlotse"}
    assert outbox_dir(env, embedded, base) == base / ".local/outbox/marktlotse"
    monkeypatch.setenv("OUTBOX_DIR", "mails")
    assert outbox_dir(env, here, base) == Path("mails")
