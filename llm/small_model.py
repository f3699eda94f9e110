"""Facts about the small local model for those that start or call it. Without Django: the supervisor imports it."""

import urllib.request

MODEL = "SmolLM2-135M-Instruct"
AT_A_TIME = 2


def is_answering(base_url: str, key: str) -> bool:
    """Whether a server answers that accepts this key (another one may have its port) and has loaded the weights."""
    request = urllib.request.Request(f"{base_url}/models", headers={"Authorization": f"Bearer {key}"})  # noqa: S310
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(request, timeout=2) as response:
            return bool(response.status == 200)
    except (OSError, ValueError):
        return False
