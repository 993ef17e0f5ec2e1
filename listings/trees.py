"""Industries and regions as a form field: a two-level tree of checkboxes that needs no script."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from listings.models import Industry, Region


@dataclass(frozen=True, slots=True)
class Branch:
    """A node with its children, named in the active language."""

    code: str
    name: str
    children: tuple[tuple[str, str], ...] = ()


def branches_of(model: type[Industry] | type[Region]) -> list[Branch]:
    """The whole tree in the active language, industries by code and regions by name; one query."""
    nodes: list[Industry | Region] = list(model.objects.order_by("code"))
    if model is Region:
        nodes.sort(key=lambda node: _without_accents(node.name))
    children: dict[str, list[tuple[str, str]]] = {}
    for node in nodes:
        if node.parent_id:
            children.setdefault(node.parent_id, []).append((node.code, node.name))
    return [
        Branch(node.code, node.name, tuple(children.get(node.code, ())))
        for node in nodes
        if not node.parent_id
    ]


def _without_accents(name: str) -> str:
    """How the name sorts: `Österreich` beside `Oslo`, not behind `Zug`."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


class TreeWidget(forms.Widget):
    """Checkboxes by branch; branches with something chosen are open."""

    template_name = "listings/tree_widget.html"
    use_fieldset = True
    branches: list[Branch] = []

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        """Each branch with what is chosen in it."""
        context = super().get_context(name, value, attrs)
        chosen = set(value or ())
        context["branches"] = [_marked(branch, chosen) for branch in self.branches]
        context["chosen_count"] = len(chosen & _codes(self.branches))
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """All values sent under the name."""
        return data.getlist(name) if hasattr(data, "getlist") else data.get(name)

    def id_for_label(self, id_: str) -> str:
        """A group has a legend, no label."""
        return ""


class TreeField(forms.MultipleChoiceField):
    """Codes of one tree. Choosing a parent includes its children; nothing chosen means all."""

    widget = TreeWidget
    default_error_messages = {"invalid_choice": _("%(value)s is not known here.")}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"required": False, **kwargs})

    def offer(self, branches: list[Branch]) -> None:
        """Set what can be chosen."""
        self.widget.branches = branches
        self.choices = [(code, code) for code in sorted(_codes(branches))]


def _codes(branches: Iterable[Branch]) -> set[str]:
    return {
        code
        for branch in branches
        for code in (branch.code, *(child for child, _ in branch.children))
    }


def _marked(branch: Branch, chosen: set[str]) -> dict[str, Any]:
    children = [
        {"code": code, "name": name, "chosen": code in chosen} for code, name in branch.children
    ]
    return {
        "code": branch.code,
        "name": branch.name,
        "chosen": branch.code in chosen,
        "is_open": any(child["chosen"] for child in children),
        "children": children,
    }
