"""The operator's legal pages."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language

from marketplace.legal import TITLES, legal_text
from marketplace.methods import require_safe


@require_safe
def legal_page(request: HttpRequest, page: str) -> HttpResponse:
    """Imprint, privacy or terms, in the reader's language where the operator has it."""
    context = {
        "page": page,
        "title": TITLES[page],
        "legal": legal_text(page, (get_language() or settings.LANGUAGE_CODE)[:2]),
        "is_development": settings.IS_DEVELOPMENT,
    }
    return render(request, "marketplace/legal.html", context)
