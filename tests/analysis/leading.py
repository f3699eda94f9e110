"""Where the numbers of a page lead."""

import re
from html import unescape
from urllib.parse import urljoin

from django.http import HttpResponse

LINK = re.compile(r'href="([^"]*judgments/\?[^"]*)"')


def behind_numbers(response: HttpResponse, html: str = "") -> list[str]:
    """The addresses of the answers behind the numbers of a page, or of that part of it, as a browser resolves them."""
    page = response.request["PATH_INFO"]  # type: ignore[attr-defined]
    return [urljoin(page, unescape(link)) for link in LINK.findall(html or response.content.decode())]
