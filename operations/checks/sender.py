"""Who mails are from, and where their links lead: what mailbox providers look at first."""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import parseaddr
from urllib.parse import urlsplit

import dns.exception
import dns.resolver
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http.request import validate_host
from django.utils.translation import gettext as _

from operations.checks.check import Check, failed, passed
from operations.reach import Reach

# RFC 2606 and 6761: nobody can be reached there.
RESERVED = ("example", "test", "invalid", "localhost", "example.com", "example.net", "example.org")
DNS_SECONDS = 2.0


def check_sender(reach: Reach) -> Check:
    """DEFAULT_FROM_EMAIL: an address, in production of a real domain with SPF and DMARC."""
    _name, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    try:
        validate_email(address)
    except ValidationError:
        return failed(
            "sender",
            _("DEFAULT_FROM_EMAIL is not an address."),
            _("Set it to an address such as “Marktlotse <post@your-domain>”."),
        )
    domain = address.rpartition("@")[2].lower()
    if not settings.IS_PRODUCTION:
        return passed("sender", _("Mails come from %(address)s.") % {"address": address})
    if _is_reserved(domain):
        return failed(
            "sender",
            _("%(domain)s is reserved for examples: no mail from it is accepted.")
            % {"domain": domain},
            _("Set DEFAULT_FROM_EMAIL to an address of your own domain."),
        )
    return _by_dns(address, domain, dns.resolver.get_default_resolver())


def check_site(reach: Reach) -> Check:
    """SITE_URL: where links, also the one to unsubscribe, lead; it must reach this site."""
    problems = list(_problems_with_site(settings.SITE_URL))
    if problems:
        return failed(
            "site",
            " ".join(problems),
            _("Set SITE_URL to the address at which people reach the site, such as https://…"),
        )
    return passed("site", _("Links in mails lead to %(url)s.") % {"url": settings.SITE_URL})


def _problems_with_site(url: str) -> Iterator[str]:
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if not validate_host(f"[{host}]" if ":" in host else host, settings.ALLOWED_HOSTS):
        yield _("ALLOWED_HOSTS lacks %(host)s, the host of SITE_URL.") % {"host": host}
    if not settings.IS_PRODUCTION:
        return
    if parts.scheme != "https":
        yield _(
            "SITE_URL does not begin with https: mailbox providers take no one-click unsubscribe."
        )
    if _is_reserved(host) or host.startswith("127.") or host == "::1":
        yield _("Nobody else can reach %(host)s.") % {"host": host}


def _is_reserved(domain: str) -> bool:
    return any(domain == name or domain.endswith(f".{name}") for name in RESERVED)


def _by_dns(address: str, domain: str, resolver: dns.resolver.Resolver) -> Check:
    """What the domain's own records say; what cannot be looked up now is no fault of it."""
    try:
        missing = [name for name in ("SPF", "DMARC") if not _has(name, domain, resolver)]
    except dns.exception.DNSException as error:
        return passed(
            "sender",
            _("Mails come from %(address)s. Its DNS records could not be looked up: %(kind)s.")
            % {"address": address, "kind": type(error).__name__},
        )
    if missing:
        return failed(
            "sender",
            _("The domain %(domain)s has no record for %(names)s: mails will be taken for spam.")
            % {"domain": domain, "names": ", ".join(missing)},
            _(
                "Publish the records that your provider names (TXT “v=spf1 …” at %(domain)s, TXT "
                "“v=DMARC1 …” at _dmarc.%(domain)s, and its DKIM key)."
            )
            % {"domain": domain},
        )
    return passed(
        "sender",
        _("Mails come from %(address)s, and its domain has SPF and DMARC.") % {"address": address},
    )


def _has(record: str, domain: str, resolver: dns.resolver.Resolver) -> bool:
    """Whether there is such a record, for DMARC also at the domain above a subdomain."""
    if record == "SPF":
        return any(text.lower().startswith("v=spf1") for text in _texts(domain, resolver))
    above = domain.partition(".")[2]
    places = [domain, above] if "." in above else [domain]
    return any(
        text.lower().startswith("v=dmarc1")
        for place in places
        for text in _texts(f"_dmarc.{place}", resolver)
    )


def _texts(name: str, resolver: dns.resolver.Resolver) -> list[str]:
    try:
        answer = resolver.resolve(name, "TXT", lifetime=DNS_SECONDS)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]
