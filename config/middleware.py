"""What Lesart adds to every request: an id, the user for the audit, and a page while a result is pending."""

import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.logs import NO_REQUEST, PATTERN, request_id
from jobs.views import ResultPending, render_pending
from projects.audit import acting

HEADER = "X-Request-ID"


class RequestMiddleware:
    """Adds the id to log lines, the reply's header and error pages; a proxy's own id is used only if a proxy is
    configured (LESART_PROXIES).

    The user is looked up only if an act is recorded.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "") if settings.ALLAUTH_TRUSTED_PROXY_COUNT else ""
        request_id.set(given if PATTERN.fullmatch(given) and given != NO_REQUEST else uuid.uuid4().hex)
        before = acting.set(lambda: request.user.pk)
        try:
            response = self.get_response(request)
        finally:
            acting.reset(before)
        response[HEADER] = request_id.get()
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return render_pending(request, exception) if isinstance(exception, ResultPending) else None
