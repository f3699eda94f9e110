"""Idempotency keys: the first request with a key does the work, later ones get its reply."""

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.utils import timezone

from api.models import AccessToken, StoredReply
from llm import keys

KEEP_FOR = timedelta(hours=24)
GIVE_UP_AFTER = timedelta(minutes=10)  # a request that took longer was killed


class KeyReused(Exception):
    """The key belongs to another request."""


class StillWorking(Exception):
    """The first request with the key is still running."""


def make_fingerprint(method: str, address: str, body: Any) -> str:
    """A hash of the request; files count by content, not by name."""
    text = json.dumps([method, address, _describe(body)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _describe(value: Any) -> Any:
    if isinstance(value, UploadedFile):
        digest = hashlib.sha256()
        for chunk in value.chunks():
            digest.update(chunk)
        value.seek(0)
        return digest.hexdigest()
    if isinstance(value, Mapping):
        return {str(name): _describe(value[name]) for name in value}
    return [_describe(each) for each in value] if isinstance(value, list) else value


def claim_key(token: AccessToken, key: str, fingerprint: str) -> StoredReply:
    """The row of the key: new, or with the reply of the first request. Raises `KeyReused` or `StillWorking`."""
    now = timezone.now()
    StoredReply.objects.filter(token=token, created_at__lt=now - KEEP_FOR).delete()
    StoredReply.objects.filter(token=token, key=key, status=None, created_at__lt=now - GIVE_UP_AFTER).delete()
    try:
        with transaction.atomic():
            return StoredReply.objects.create(token=token, key=key, fingerprint=fingerprint)
    except IntegrityError:
        row: StoredReply = StoredReply.objects.get(token=token, key=key)
    if row.fingerprint != fingerprint:
        raise KeyReused
    if row.status is None:
        raise StillWorking
    return row


def store_reply(row: StoredReply, status: int, body: str) -> None:
    row.status, row.body = status, keys.encrypt(body)
    row.save(update_fields=["status", "body"])


def read_reply(row: StoredReply) -> Any:
    """The body of a stored reply, from JSON."""
    return json.loads(keys.decrypt(row.body))


def free_key(row: StoredReply) -> None:
    """The request failed and changed nothing, so the key may be used again."""
    row.delete()
