"""Keys of model services: encrypted at rest, and removed from everything that is stored or shown."""

import base64
import hashlib
import json
import re
from urllib.parse import quote

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

PURPOSE = b"lesart.llm.endpoint-key"
HIDDEN = "[key]"
LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk|pk|rk|gsk|hf|xai|key)[-_][A-Za-z0-9_\-]{16,}|(?i:\bbearer\s+)[^\s\"',;]{6,}")


class UnreadableKey(Exception):
    """The stored key was encrypted under another SECRET_KEY."""


def encrypt(key: str) -> str:
    return _get_fernet().encrypt(key.encode()).decode() if key else ""


def decrypt(encrypted: str) -> str:
    """The key; empty if there is none. UnreadableKey if SECRET_KEY changed and the old one is not a fallback."""
    if not encrypted:
        return ""
    try:
        return _get_fernet().decrypt(encrypted.encode()).decode()
    except InvalidToken:
        raise UnreadableKey from None


def remove_key(text: str, key: str) -> str:
    """A reply without its endpoint's key, in plain, JSON or URL form, otherwise unchanged."""
    if key:
        for written in {key, json.dumps(key)[1:-1], key.replace("/", "\\/"), quote(key, safe="")}:
            text = text.replace(written, HIDDEN)
    return text


def redact(text: str, key: str = "") -> str:
    """An error message without the key and anything that looks like one: servers repeat headers in their errors."""
    return LOOKS_LIKE_A_KEY.sub(HIDDEN, remove_key(text, key))


def _get_fernet() -> MultiFernet:
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(_derive_key(secret)) for secret in secrets])


def _derive_key(secret: str) -> bytes:
    """The encryption key. SECRET_KEY is long and random, so a keyed hash bound to its purpose is enough."""
    secret_hash = hashlib.sha256(secret.encode()).digest()
    return base64.urlsafe_b64encode(hashlib.blake2b(PURPOSE, key=secret_hash, digest_size=32).digest())
