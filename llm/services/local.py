"""The small local model as an endpoint: added automatically, free of charge, and described as small."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.module_loading import import_string

from llm import keys
from llm.models import Endpoint
from llm.small_model import AT_A_TIME, MODEL, is_answering

NAME = "smollm2-135m"
PATIENCE_SECONDS = 900  # it may write a thousand tokens on a busy machine
NOWHERE = "http://127.0.0.1:1/v1"  # placeholder until it is started
DESCRIPTION = (
    "A very small model that comes with Lesart and runs on this machine, without an account and for nothing. It is for"
    " trying the workbench out: its questions are poor and its answers hardly better than chance. For a study, add a"
    " capable model."
)


class CannotRunHere(Exception):
    """The local model cannot be started; the message says why."""


def offer_local_endpoint(base_url: str, key: str) -> Endpoint:
    """The endpoint at its present address, created the first time. Only called by whoever runs the model: the address
    is not checked."""
    endpoint = get_local_endpoint()
    endpoint.base_url, endpoint.encrypted_key, endpoint.is_active = base_url, keys.encrypt(key), True
    endpoint.blocked_until = endpoint.limited_since = None
    endpoint.save()
    return endpoint


def get_local_endpoint() -> Endpoint:
    """The endpoint, which exists even if the model cannot run: runs of the sample project were made with it."""
    first = {
        "model": MODEL, "description": DESCRIPTION, "max_concurrency": AT_A_TIME, "timeout_seconds": PATIENCE_SECONDS,
        "price_in": Decimal(0), "price_out": Decimal(0),
    }  # fmt: skip
    present = Endpoint.objects.filter(is_local=True).first()
    return present or Endpoint.objects.create(is_local=True, name=_find_free_name(), base_url=NOWHERE, **first)


def withdraw_local_endpoint() -> None:
    """Do not offer it for new runs where it does not run."""
    Endpoint.objects.filter(is_local=True).update(is_active=False)


@contextmanager
def ensure_running(endpoint: Endpoint) -> Iterator[None]:
    """For a command without workers: inside, the endpoint can be called. If it is the local model and does not run, it
    is started; CannotRunHere if that is impossible."""
    if not endpoint.is_local or _is_running(endpoint):
        yield
        return
    try:
        with import_string(settings.LESART_LOCAL_MODEL)() as (base_url, key):
            settings.LESART_INSIDE_HOSTS.append(urlsplit(base_url).netloc)
            offer_local_endpoint(base_url, key)
            yield
    except (RuntimeError, TimeoutError) as error:
        raise CannotRunHere(str(error)) from error


def _is_running(endpoint: Endpoint) -> bool:
    try:
        return is_answering(endpoint.base_url, keys.decrypt(endpoint.encrypted_key))
    except keys.UnreadableKey:
        return False


def _find_free_name() -> str:
    taken = set(Endpoint.objects.filter(name__startswith=NAME).values_list("name", flat=True))
    return next(name for name in (NAME, *(f"{NAME} ({n})" for n in range(2, 1000))) if name not in taken)
