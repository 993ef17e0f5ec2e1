"""What SendGrid's v3 mail/send demands of a request, in its documented words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

Error = dict[str, str | None]
MAX_PERSONALIZATIONS = 1000
MAX_BYTES_PER_PERSON = 10_000
MAX_CATEGORIES = 10
ADDRESS = re.compile(r"[^\s@<>,;:\"()\[\]]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
HEADER_NAME = re.compile(r"[!-9;-~]+")
RESERVED_HEADERS = frozenset(
    "x-sg-id x-sg-eid received dkim-signature content-type content-transfer-encoding to from "
    "subject reply-to cc bcc".split()
)


def error(message: str, field: str | None = None) -> Error:
    """One entry of an error body."""
    return {"message": message, "field": field, "help": None}


def errors_of(request: Mapping[str, Any], bad_addresses: Collection[str] = ()) -> list[Error]:
    """All that is wrong with a request; `bad_addresses` (lower case) are refused as invalid."""
    people = request.get("personalizations")
    if not isinstance(people, list) or not people:
        return [
            error(
                "The personalizations field is required and must have at least one "
                "personalization.",
                "personalizations",
            )
        ]
    found = list(_limits(people))
    for number, person in enumerate(people):
        found += _person(person, f"personalizations.{number}", bad_addresses)
    return found + list(_sender(request)) + list(_body(request))


def addresses_in(people: Collection[Mapping[str, Any]]) -> list[str]:
    """Every recipient of a request, counting repeats."""
    return [
        str(mailbox.get("email", ""))
        for person in people
        for role in ("to", "cc", "bcc")
        for mailbox in person.get(role, [])
    ]


def _limits(people: list[Mapping[str, Any]]) -> Iterator[Error]:
    if len(people) > MAX_PERSONALIZATIONS:
        yield error(
            "The personalization block is limited to 1000 personalizations per API request. You "
            f"have provided {len(people)} personalizations. Please consider splitting this into "
            "multiple requests and resending your request.",
            "personalizations",
        )
    seen: set[str] = set()
    addresses = addresses_in(people)
    for address in addresses:
        if address.lower() in seen:
            yield error(
                "Each unique email address in the personalizations array should only be included "
                f"once. You have included [{address}] more than once.",
                "personalizations",
            )
        seen.add(address.lower())
    if len(addresses) > MAX_PERSONALIZATIONS:
        yield error("There is a limit of 1000 total recipients (to + cc + bcc) per request.")


def _person(person: Mapping[str, Any], field: str, bad: Collection[str]) -> Iterator[Error]:
    if not person.get("to"):
        yield error(
            "The to array is required for all personalization objects, and must have at least "
            "one email object with a valid email address.",
            f"{field}.to",
        )
    for role in ("to", "cc", "bcc"):
        for number, mailbox in enumerate(person.get(role, [])):
            address = str(mailbox.get("email", ""))
            if not ADDRESS.fullmatch(address) or address.lower() in bad:
                yield error("Does not contain a valid address.", f"{field}.{role}.{number}.email")
    for part in ("substitutions", "custom_args"):
        yield from _small_strings(person.get(part, {}), f"{field}.{part}")
    for name, value in person.get("headers", {}).items():
        yield from _header(name, value, f"{field}.headers")


def _small_strings(values: Mapping[str, Any], field: str) -> Iterator[Error]:
    if not all(isinstance(value, str) for value in values.values()):
        yield error("All values must be strings.", field)
        return
    size = sum(len(f"{name}{value}".encode()) for name, value in values.items())
    if size > MAX_BYTES_PER_PERSON:
        yield error(
            f"The combined size may not exceed 10000 bytes. You have provided {size} bytes.", field
        )


def _header(name: str, value: Any, field: str) -> Iterator[Error]:
    if name.lower() in RESERVED_HEADERS:
        yield error(f"The header {name} is reserved and cannot be set.", field)
    if not HEADER_NAME.fullmatch(name):
        yield error("Header names must be printable ASCII without spaces and colons.", field)
    if not isinstance(value, str) or not value.isascii() or re.search(r"[\r\n]", value):
        yield error("Header values must be ASCII strings on one line.", field)


def _sender(request: Mapping[str, Any]) -> Iterator[Error]:
    sender = request.get("from")
    if not isinstance(sender, dict) or not sender.get("email"):
        yield error(
            "The from object must be provided for every email send. It is an object that "
            "requires the email parameter, but may also contain a name parameter.",
            "from",
        )
    elif not ADDRESS.fullmatch(str(sender["email"])):
        yield error("The from email does not contain a valid address.", "from.email")


def _body(request: Mapping[str, Any]) -> Iterator[Error]:
    if not request.get("subject"):
        yield error(
            "The subject is required. You can get around this requirement if you use a template "
            "with a subject defined or if every personalization has a subject defined.",
            "subject",
        )
    content = request.get("content") or []
    if not content:
        yield error("Unless a valid template_id is provided, content is required.", "content")
    for number, part in enumerate(content):
        if not isinstance(part.get("value"), str) or not part["value"]:
            yield error(
                "The content value must be a string at least one character in length.",
                f"content.{number}.value",
            )
    kinds = [part.get("type") for part in content]
    if "text/plain" in kinds[1:]:
        yield error(
            "If present, text/plain must be first, followed by text/html, followed by any other "
            "content.",
            "content",
        )
    categories = request.get("categories", [])
    if len(categories) > MAX_CATEGORIES or len(set(categories)) < len(categories):
        yield error("At most 10 categories, each only once.", "categories")
