"""Headers that tell browsers what a page may do: the content policy, and the permissions."""

from __future__ import annotations

from csp.middleware import CSPMiddleware, PolicyParts
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase


class SecurityHeadersMiddleware(CSPMiddleware):
    """The strict policy everywhere, with what CONTENT_SECURITY_POLICY_BY_PATH says below a path.

    A view that sets a policy itself (a mail's body) keeps it.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Add the headers to a response on its way out."""
        response.headers.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        return super().process_response(request, response)

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        """The parts of the policy, with the exceptions of the request's path."""
        parts = super().get_policy_parts(request, response, report_only)
        if parts.replace is None and not report_only:
            parts.replace = _exceptions(request.path_info)
        return parts


def _exceptions(path: str) -> dict[str, list[str]] | None:
    by_path = settings.CONTENT_SECURITY_POLICY_BY_PATH
    return next((rules for prefix, rules in by_path.items() if path.startswith(prefix)), None)
