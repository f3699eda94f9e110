"""One JSON for one value, and the hashes of it."""

import hashlib
import json
from typing import Any

_encoder = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def canonical(value: Any) -> str:
    """The same for equal values in every process."""
    return _encoder.encode(value)


def hash_of(text: str) -> str:
    """160 bits of a canonical form."""
    return hashlib.blake2b(text.encode(), digest_size=20).hexdigest()
