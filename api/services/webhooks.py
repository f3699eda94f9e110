"""Webhooks: notify outside addresses of what has ended. A delivery is a job, so that it is retried and visible."""

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex, token_urlsafe

import aiohttp
from django.utils import timezone
from django.utils.translation import gettext as _

from api.models import Webhook
from jobs.kinds import EVENTS, JOB_ENDED, JobFailed
from jobs.models import Job
from jobs.progress import Listener
from jobs.scheduling import get_or_schedule, make_job
from llm import keys
from llm.addresses import BadAddress, check_base_url
from llm.transport import Client, RawResponse
from projects.models import Project, User

KIND = "webhook"
PAUSES = (0, 2, 10)  # seconds before each try
SECONDS = 10  # for an answer
MAX_WEBHOOKS = 10  # of a project


class TooMany(Exception):
    """The project has the maximum number of webhooks; the message is a sentence."""


def create_webhook(project: Project, url: str, events: Sequence[str], user: User) -> tuple[Webhook, str]:
    """The webhook, and the secret that signs its requests; `BadAddress` for an address that may not be called."""
    if project.webhooks.count() >= MAX_WEBHOOKS:
        raise TooMany(_("A project can have %(n)d webhooks. Delete one first.") % {"n": MAX_WEBHOOKS})
    secret = token_urlsafe(32)
    webhook = Webhook.objects.create(
        project=project,
        url=check_base_url(url),
        events=[event for event in EVENTS if event in events],
        encrypted_secret=keys.encrypt(secret),
        created_by=user,
    )
    return webhook, secret


def schedule_deliveries(event: str, project_id: int, subject: str) -> None:
    """Called when something has ended: a job for each webhook that listens to it. Deliveries themselves are not
    announced."""
    if event == JOB_ENDED and Job.objects.filter(pk=subject, kind=KIND).exists():
        return
    for webhook in Webhook.objects.filter(project=project_id).select_related("project"):
        if event in webhook.events:
            values = {
                "id": token_hex(16),
                "event": event,
                "project": webhook.project.slug,
                "subject": subject,
                "at": timezone.now().isoformat(),
            }
            get_or_schedule(make_job(KIND, f"webhook:{webhook.pk}", values, webhook.project, language="en"))


def deliver(job: Job, report_progress: Listener) -> Path | None:
    """The work of such a job: send, and retry later if the address does not accept it."""
    webhook = Webhook.objects.filter(pk=job.subject.removeprefix("webhook:")).first()
    if webhook is None:
        raise JobFailed(_("The webhook was deleted."))
    body = json.dumps(job.parameters, sort_keys=True).encode()
    problem = ""
    for number, pause in enumerate(PAUSES, start=1):
        time.sleep(pause)
        report_progress("try", number, len(PAUSES))
        problem = send(webhook, body, int(time.time()))
        if not problem:
            return None
    raise JobFailed(problem)


def send(webhook: Webhook, body: bytes, now: int) -> str:
    """Why the address did not accept it; empty if it did. `JobFailed` for an inside address, where retries are
    useless."""
    secret = keys.decrypt(webhook.encrypted_secret)
    headers = {"Lesart-Signature": f"t={now},v1={sign(secret, now, body)}", "User-Agent": "Lesart-Webhook"}
    try:
        answer = asyncio.run(_post(webhook.url, body, headers))
    except BadAddress as bad:
        raise JobFailed(str(bad)) from bad
    except (aiohttp.ClientError, OSError, TimeoutError):
        return _("The address did not answer.")
    return "" if 200 <= answer.status < 300 else _("The address answered %(status)d.") % {"status": answer.status}


async def _post(url: str, body: bytes, headers: dict[str, str]) -> RawResponse:
    client = Client(url, "", SECONDS, 1, path="")
    try:
        return await client.post(body, headers)
    finally:
        await client.close()


def sign(secret: str, now: int, body: bytes) -> str:
    """HMAC-SHA-256 of the time and the body, so that an old message cannot be replayed as a new one."""
    return hmac.new(secret.encode(), f"{now}.".encode() + body, hashlib.sha256).hexdigest()
