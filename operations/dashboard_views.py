"""The dashboard: a page for a wall, its live part, and the admin's home."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from marketplace.methods import require_safe
from operations.dashboard.board import Board, board
from operations.dashboard.links import Links

PERMISSION = "notifications.view_delivery"


@never_cache
@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    """The whole page."""
    return _answer(request, "operations/dashboard.html")


@never_cache
@require_safe
def figures(request: HttpRequest) -> HttpResponse:
    """The part of the page that changes; open pages ask for it every few seconds."""
    return _answer(request, "operations/figures.html")


def admin_home(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """What the admin's home shows to who may see the ledger; unfold calls it."""
    if request.user.has_perm(PERMISSION):
        context["board"] = _board(request)
    return context


def _answer(request: HttpRequest, template: str) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if not (request.user.is_active and request.user.is_staff):
        raise Http404
    if not request.user.has_perm(PERMISSION):
        raise PermissionDenied
    return render(request, template, {"board": _board(request)})


def _board(request: HttpRequest) -> Board:
    return board(now=timezone.now(), links=Links(request.user))
