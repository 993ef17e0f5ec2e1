"""From the API's values to those of a search agent, by the very form of the pages."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from agents.api.schemas import AgentChange, AgentIn
from agents.forms import AgentForm
from agents.models import ScheduledMailReport
from listings.api_schemas import CriteriaIn
from listings.criteria import Criteria

OF_THE_AGENT = ("name", "frequency")


class UnableToReadAgent(ValueError):
    """The form refuses the values; `errors` says what is wrong with which field."""

    def __init__(self, errors: list[dict[str, str]]) -> None:
        super().__init__("; ".join(error["message"] for error in errors))
        self.errors = errors


def agent_values(data: AgentIn | AgentChange, stored: ScheduledMailReport | None) -> dict[str, Any]:
    """What `create_agent` and `change_agent` take; what is left out is as stored.

    Raises UnableToReadAgent with the words of the pages.
    """
    criteria = stored.criteria if stored and data.criteria is None else data.criteria
    form = AgentForm(
        {
            "name": data.name if data.name is not None or stored is None else stored.name,
            "frequency": data.frequency or (stored.frequency if stored else None),
            **_search(criteria or CriteriaIn()),
        }
    )
    if not form.is_valid():
        raise UnableToReadAgent(list(_errors(form)))
    return form.agent_values()


def _search(criteria: CriteriaIn | Criteria) -> dict[str, Any]:
    return {
        "industries": [code.upper() for code in criteria.industries],
        "regions": [code.upper() for code in criteria.regions],
        "price_min": _as_typed(criteria.price_min),
        "price_max": _as_typed(criteria.price_max),
        "keywords": criteria.keywords,
        "priced_only": not criteria.include_on_request,
    }


def _as_typed(price: Decimal | None) -> str:
    """With its cents, so that no point can be taken for one between thousands."""
    return "" if price is None else f"{price:.2f}"


def _errors(form: AgentForm) -> Iterable[dict[str, str]]:
    for field, messages in form.errors.items():
        name = {"priced_only": "include_on_request", "__all__": ""}.get(field, field)
        path = name if not name or name in OF_THE_AGENT else f"criteria.{name}"
        for message in messages:
            yield {"field": path, "message": str(message)}
