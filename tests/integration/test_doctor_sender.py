"""What `doctor` says of the sender's domain, as a DNS server tells, and of the site's address."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import dns.message
import dns.rcode
import dns.resolver
import dns.rrset
import pytest
from django.utils import timezone
from pytest_django import Settings

from operations.checks import Check, run_checks

SPF, DMARC = '"v=spf1 include:sendgrid.net ~all"', '"v=DMARC1; p=reject"'


def look(name: str) -> Check:
    [check] = run_checks(now=timezone.now(), only=[name])
    return check


@contextmanager
def dns_server(texts: Mapping[str, str]) -> Iterator[int]:
    """Answers TXT questions with these, and says of other names that they do not exist."""
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.bind(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            data, client = line.recvfrom(4096)
            if not data:
                return
            question = dns.message.from_wire(data)
            answer = dns.message.make_response(question)
            name = question.question[0].name
            if text := texts.get(str(name).rstrip(".")):
                answer.answer.append(dns.rrset.from_text(name, 60, "IN", "TXT", text))
            else:
                answer.set_rcode(dns.rcode.NXDOMAIN)
            line.sendto(answer.to_wire(), client)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    port = line.getsockname()[1]
    try:
        yield port
    finally:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as goodbye:
            goodbye.sendto(b"", ("127.0.0.1", port))
        thread.join()
        line.close()


@contextmanager
def asking(port: int) -> Iterator[None]:
    """Whoever resolves a name asks this server."""
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers, resolver.port = ["127.0.0.1"], port
    before, dns.resolver.default_resolver = dns.resolver.default_resolver, resolver
    try:
        yield
    finally:
        dns.resolver.default_resolver = before


@pytest.fixture
def production(settings: Settings) -> Settings:
    settings.IS_PRODUCTION = True
    settings.DEFAULT_FROM_EMAIL = "Lots <post@mail.lotse.internal>"
    settings.SITE_URL, settings.ALLOWED_HOSTS = "https://lotse.internal", ["lotse.internal"]
    return settings


@pytest.mark.parametrize(
    ("texts", "missing"),
    [
        ({"mail.lotse.internal": SPF, "_dmarc.mail.lotse.internal": DMARC}, ""),
        ({"mail.lotse.internal": SPF, "_dmarc.lotse.internal": DMARC}, ""),
        ({"mail.lotse.internal": SPF}, "DMARC"),
        ({"mail.lotse.internal": '"hello"', "_dmarc.lotse.internal": DMARC}, "SPF"),
        ({}, "SPF, DMARC"),
    ],
)
def test_the_domains_records(production: Settings, texts: Mapping[str, str], missing: str) -> None:
    with dns_server(texts) as port, asking(port):
        check = look("sender")
    if missing:
        words = f"no record for {missing}: mails will be taken for spam."
        assert check.message == f"The domain mail.lotse.internal has {words}"
        assert "TXT “v=spf1 …” at mail.lotse.internal" in check.remedy
    else:
        words = "and its domain has SPF and DMARC."
        assert check == Check(
            "sender", True, f"Mails come from post@mail.lotse.internal, {words}", ""
        )


def test_records_that_cannot_be_looked_up_are_no_fault(production: Settings) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        with asking(silent.getsockname()[1]):
            check = look("sender")
    assert check.ok
    assert check.message.endswith("Its DNS records could not be looked up: LifetimeTimeout.")


def test_a_domain_for_examples_is_a_fault_in_production_only(production: Settings) -> None:
    production.DEFAULT_FROM_EMAIL = "post@marktlotse.example"
    assert look("sender").message.startswith("marktlotse.example is reserved for examples")
    production.IS_PRODUCTION = False
    assert look("sender").ok


def test_a_sender_that_is_no_address(settings: Settings) -> None:
    settings.DEFAULT_FROM_EMAIL = "Marktlotse"
    assert look("sender").message == "DEFAULT_FROM_EMAIL is not an address."


def test_where_links_lead(production: Settings) -> None:
    assert look("site") == Check("site", True, "Links in mails lead to https://lotse.internal.", "")
    production.SITE_URL = "http://127.0.0.1:8000"
    assert look("site").message == (
        "ALLOWED_HOSTS lacks 127.0.0.1, the host of SITE_URL. SITE_URL does not begin with https: "
        "mailbox providers take no one-click unsubscribe. Nobody else can reach 127.0.0.1."
    )
