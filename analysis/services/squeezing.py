"""What is kept in the cache in little room."""

import pickle
import zlib
from typing import Any

QUICK = 1  # the level of zlib: codes of few values shrink well at any, and a tenth of most files remains


def squeezed(value: Any) -> bytes:
    return zlib.compress(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), QUICK)


def released(kept: bytes) -> Any:
    """Of what was squeezed here and nowhere else."""
    return pickle.loads(zlib.decompress(kept))  # noqa: S301 - the cache's own values are pickles too
