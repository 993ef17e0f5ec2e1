"""SendGrid's v3 mail/send on this machine, for tests and for watching the product talk to it.

    python -m tests.providers.sendgrid_simulator --port 8025 --fail-503 0.05 --cut-before 0.025 \\
        --cut-after 0.025 --events http://127.0.0.1:8000/webhooks/sendgrid/

The product talks to it with SENDGRID_API_HOST=http://127.0.0.1:8025, any SENDGRID_API_KEY, and the
SENDGRID_WEBHOOK_PUBLIC_KEY that is printed at the start (the same for the same --seed).
GET /stats says what happened; POST /control changes faults, e.g. {"fail_503": 0.2}.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.providers import simulator_command
from tests.providers.event_posting import EventPoster, Habits
from tests.providers.sendgrid_rules import addresses_in, error, errors_of
from tests.providers.simulated_events import SigningKey, events_of, signing_render
from tests.providers.simulator import Answer, Simulator
from tests.providers.simulator_http import Received

PATH = "/v3/mail/send"
SCOPES_PATH = "/v3/scopes"
MAX_BYTES = 30_000_000
# Of the personalization's custom_args: how the product names its deliveries.
DELIVERY_ARGUMENT = "delivery"
WORDS = {
    400: "Does not contain a valid address.",
    401: "The provided authorization grant is invalid, expired, or revoked",
    403: "The from address does not match a verified Sender Identity.",
    404: "Not found",
    413: "The JSON payload you have included in your request is too large.",
    415: "Unsupported media type",
    429: "Too many requests",
}


class SendGridSimulator(Simulator):
    """Takes mail, checks it by the documented rules, and reports events where `events_url` is set.

    `api_key`: the only key that is right; '' takes any. `bad_addresses` are refused as invalid.
    """

    def __init__(
        self,
        port: int = 0,
        *,
        api_key: str = "",
        bad_addresses: Collection[str] = (),
        events_url: str = "",
        habits: Habits | None = None,
        seed: int = 1,
        **options: Any,
    ) -> None:
        super().__init__(port, seed=seed, **options)
        self.api_key = api_key
        self.scopes = ["mail.send", "sender_verification_eligible"]
        self.bad_addresses = {address.lower() for address in bad_addresses}
        self.key = SigningKey(seed)
        self.events: EventPoster | None = None
        # Ids of two simulators, or of one that was started anew, must not be taken for the same.
        self._session = uuid.uuid4().hex[:12] if events_url else "message"
        if events_url:
            render = signing_render(events_url, self.key)
            self.events = EventPoster(render, habits or Habits(), seed)

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        if self.events is not None:
            self.events.close()

    def refuse(self, status: int, **headers: str) -> None:
        """Answer the next request with this status, and a body as the API writes it."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers.append(Answer(status, named))

    def addresses(self) -> list[str]:
        """Who was written to, in order, counting repeats; refused requests too."""
        return [
            address
            for request in self.requests
            for address in addresses_in(request.get("personalizations", []))
        ]

    def stats(self) -> dict[str, Any]:
        events = self.events.counts if self.events is not None else {}
        return {**super().stats(), **events}

    def parse(self, received: Received) -> dict[str, Any]:
        try:
            request = json.loads(received.body)
        except ValueError:
            return {}
        return request if isinstance(request, dict) else {}

    def refusal(self, status: int) -> bytes:
        message = WORDS.get(status, "Internal server error")
        return json.dumps({"errors": [error(message)]}).encode()

    def judge(self, received: Received, request: dict[str, Any], number: int) -> Answer:
        if (status := self._status(received)) != 202:
            return Answer(status, {}, self.refusal(status))
        people = request.get("personalizations") or []
        fits, limits = self.quota.take(len(people))
        if not fits:
            return Answer(429, limits, self.refusal(429))
        if wrong := errors_of(request, self.bad_addresses):
            return Answer(400, limits, json.dumps({"errors": wrong}).encode())
        if request.get("mail_settings", {}).get("sandbox_mode", {}).get("enable"):
            self.counts["sandboxed"] += len(people)
            return Answer(200, limits)
        message_id = f"{self._session}-{number}"
        self._accept(people, message_id, request.get("categories", []))
        return Answer(202, {**limits, "X-Message-Id": message_id})

    def look_up(self, received: Received) -> Answer:
        """What the key may do: the one thing that can be read."""
        if received.path != SCOPES_PATH:
            return Answer(404, {}, self.refusal(404))
        if not self._knows(received):
            return Answer(401, {}, self.refusal(401))
        return Answer(200, {}, json.dumps({"scopes": self.scopes}).encode())

    def _knows(self, received: Received) -> bool:
        key = received.headers.get("Authorization")
        return not self.api_key or key == f"Bearer {self.api_key}"

    def _status(self, received: Received) -> int:
        if received.path != PATH:
            return 404
        if not self._knows(received):
            return 401
        if not received.headers.get("Content-Type", "").lower().startswith("application/json"):
            return 415
        return 413 if len(received.body) > MAX_BYTES else 202

    def _accept(
        self, people: Collection[Mapping[str, Any]], message_id: str, categories: list[str]
    ) -> None:
        for person in people:
            mailboxes = addresses_in([person])
            self.accepted_by_address.update(address.lower() for address in mailboxes)
            self.accepted_by_delivery[person.get("custom_args", {}).get(DELIVERY_ARGUMENT, "")] += 1
            # Whoever stands beside others in one personalization is shown to them.
            self.counts["shown_to_others"] += len(mailboxes) if len(mailboxes) > 1 else 0
            if self.events is not None:
                self.events.put(events_of(person, message_id, categories))


@contextmanager
def running_server(**options: Any) -> Iterator[SendGridSimulator]:
    """Serve on a free port of this machine."""
    with SendGridSimulator(**options) as simulator:
        yield simulator


def main() -> None:
    arguments = simulator_command.parse(__doc__ or "", default_port=8025)
    simulator = SendGridSimulator(
        events_url=arguments.events,
        bad_addresses=arguments.bad_address,
        api_key=arguments.secret,
        habits=Habits(repeated=arguments.repeated, out_of_order=arguments.out_of_order),
        **simulator_command.options(arguments),
    )
    print(f"SENDGRID_WEBHOOK_PUBLIC_KEY={simulator.key.public}")
    simulator_command.run(simulator)


if __name__ == "__main__":
    main()
