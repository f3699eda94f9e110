"""People who rate through HTTP, each in a thread: what they were told, how long it took, and what is stored of it."""

import http.client
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from threading import Event, Thread
from urllib.parse import urlencode, urlsplit

TOKEN = re.compile(r'name="token" value="([^"]+)"')
ITEM = re.compile(r'type="hidden" name="item" value="([^"]+)"')
CHOICE = re.compile(r'type="radio" name="([^"]+)"[^>]* value="([^"]+)"')


@dataclass
class Reply:
    kind: str  # draft, hand-in or page
    status: int  # 0: no reply
    seconds: float


@dataclass
class Rater(Thread):
    """Goes through a study of dimension ratings: a draft of one item, then the whole page, then the next."""

    base: str
    public_id: str
    cookie: str
    pause: float
    stop: Event
    seed: int
    replies: list[Reply] = field(default_factory=list)
    acknowledged: dict[str, dict[str, str]] = field(default_factory=dict)  # by the token of the page, what was sent
    unknown: dict[str, dict[str, str]] = field(default_factory=dict)  # sent, and never answered

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.rng = Random(self.seed)
        self.http = http.client.HTTPConnection(urlsplit(self.base).netloc, timeout=60)

    __hash__ = Thread.__hash__

    def run(self) -> None:
        page = self.ask("page", "")
        while not self.stop.is_set() and (token := TOKEN.search(page)):
            page = self.rate(page, token[1])
            self.stop.wait(self.rng.uniform(0.5, 1.5) * self.pause)

    def rate(self, page: str, token: str) -> str:
        levels: dict[str, list[str]] = {}
        items = ITEM.findall(page)
        for name, value in CHOICE.findall(page):
            if name.endswith(tuple(f"-{item}" for item in items)):  # not a choice of how the page is displayed
                levels.setdefault(name, []).append(value)
        sent = {name: self.rng.choice(values) for name, values in levels.items()}
        first = {name: value for name, value in sent.items() if name.endswith(items[0])}
        self.ask("draft", "draft/", [("token", token), ("item", items[0]), *first.items()])
        following = self.ask("hand-in", "", [("token", token), *(("item", item) for item in items), *sent.items()])
        told = self.replies[-1].status
        if told == 200 and (new := TOKEN.search(following)) and new[1] != token:
            self.acknowledged[token] = sent
        elif told == 0:
            self.unknown[token] = sent
        return following if told == 200 else self.ask("page", "")

    def ask(self, kind: str, path: str, data: list[tuple[str, str]] | None = None) -> str:
        # A new connection each time: the server closes those that nobody used for a while.
        headers = {"Cookie": f"lesart-work={self.cookie}", "X-Lesart-Part": "1", "Connection": "close"}
        body = urlencode(data) if data else None
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        start = time.monotonic()
        try:
            self.http.request("POST" if body else "GET", f"/work/{self.public_id}/{path}", body, headers)
            answer = self.http.getresponse()
            text, status = answer.read().decode(), answer.status
        except (OSError, http.client.HTTPException):
            text, status = "", 0
        self.http.close()
        self.replies.append(Reply(kind, status, time.monotonic() - start))
        return text


def summary(raters: list[Rater]) -> dict:
    """Counts and waiting times of all replies."""
    replies = [reply for rater in raters for reply in rater.replies]
    waits = sorted(reply.seconds for reply in replies)
    return {
        "replies": dict(Counter(reply.kind for reply in replies)),
        "server_errors": sum(reply.status >= 500 for reply in replies),
        "lost": sum(reply.status == 0 for reply in replies),
        "other_statuses": dict(Counter(str(reply.status) for reply in replies if reply.status not in (0, 200))),
        "over_2_s": sum(wait > 2 for wait in waits),
        **{f"p{share}_ms": quantile(waits, share) for share in (50, 95, 99)},
        "longest_ms": round(waits[-1] * 1000) if waits else None,
    }


def quantile(waits: list[float], share: int) -> int | None:
    return round(waits[min(len(waits) - 1, len(waits) * share // 100)] * 1000) if waits else None


def compare(study, raters: list[Rater]) -> dict:
    """Acknowledged hand-ins beside stored ones. A handle names an item, and a field its question and handle."""
    from studies.models import Response, Submission

    stored: dict[tuple[str, str], str] = {}
    rows = Response.objects.filter(assignment__annotator__study=study).select_related("assignment")
    for row in rows.iterator():
        handles = {item: handle for handle, item, _options in row.assignment.shown[row.stage]}
        stored[f"{row.question}-{handles[row.item_id]}"] = str(row.value)
    told = [sent for rater in raters for sent in rater.acknowledged.values()]
    unknown = [sent for rater in raters for sent in rater.unknown.values()]
    n_unknown_stored = sum(all(name in stored for name in sent) for sent in unknown)
    return {
        "acknowledged": len(told),
        "acknowledged_and_stored": sum(all(stored.get(name) == value for name, value in sent.items()) for sent in told),
        "stored": Submission.objects.filter(assignment__annotator__study=study).count(),
        "stored_without_a_reply": n_unknown_stored,
    }
