"""People behind the proxy of a team's server, in a process of its own: `python -m tests.config.compose_site PORT HOST`.

Everybody whom the plan of the study "walk" names answers as planted, over HTTP as a proxy with TLS passes it on. Prints
as JSON what export and report must hold then.
"""

import http.client
import json
import sys
from contextlib import closing
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from random import Random
from urllib.parse import urlencode, urljoin, urlsplit

import django

django.setup()

from studies.models import Study  # noqa: E402
from tests import walk  # noqa: E402
from tests.patience import PATIENCE  # noqa: E402
from tests.walkers import HttpWalker  # noqa: E402


@dataclass(frozen=True)
class Page:
    """What the walkers read of a response."""

    status_code: int
    content: bytes
    headers: dict[str, str]
    request: dict[str, str]


@dataclass
class Browser:
    """A browser with cookies, and the proxy between it and the web server."""

    port: int
    host: str
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **about) -> Page:
        return self.follow("GET", path)

    def post(self, path: str, fields: dict, **about) -> Page:
        return self.follow("POST", path, urlencode(fields, doseq=True))

    def follow(self, method: str, path: str, body: str | None = None) -> Page:
        page = self.ask(method, path, body)
        while page.status_code in (302, 303):
            path = urlsplit(urljoin(path, page.headers["location"])).path
            page = self.ask("GET", path)
        return page

    def ask(self, method: str, path: str, body: str | None = None) -> Page:
        # a connection of its own, as the server ends one that is idle for two seconds
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body, self.headers(method))
            response = connection.getresponse()
            content = response.read()
        for cookie in response.headers.get_all("Set-Cookie", []):
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(cookie).items()}
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Page(response.status, content, headers, {"PATH_INFO": path})

    def headers(self, method: str) -> dict[str, str]:
        headers = {"Host": self.host, "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if method == "POST":
            headers |= {"Origin": f"https://{self.host}", "Content-Type": "application/x-www-form-urlencoded"}
        return headers


def main(port: int, host: str) -> None:
    study = Study.objects.get(slug="walk")
    items = walk.by_stem(study)
    for annotator in walk.annotators(study):
        walker = HttpWalker(annotator, Random(annotator.seat), items=items)
        walker.client = Browser(port, host)
        walker.work_through()
    shares = {"/".join(key): float(share) for key, share in walk.expected_shares(study).items()}
    print(json.dumps({"responses": sorted(walk.expected_responses(study)), "shares": shares}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
