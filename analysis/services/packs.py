"""Packs that are asked for on a page: a worker builds them, the file waits in the database."""

import logging
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from tempfile import TemporaryFile
from typing import IO, Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from analysis.choices import BadChoice, Choices
from analysis.models import SILENT_AFTER, Pack, PackPart, PackState
from analysis.pack.redaction import hidden_texts
from projects.models import User
from studies.models import Study

log = logging.getLogger(__name__)
PART = 1 << 20  # bytes


@transaction.atomic
def ask_for_pack(study: Study, choices: Choices, user: User | None) -> Pack:
    """A new pack in place of the study's earlier one; the one that is under way, if it is the same."""
    Study.objects.select_for_update().get(pk=study.pk)  # two clicks at once would build two
    wanted = as_json(choices)
    last = study.packs.first()
    if last is not None and last.is_under_way and last.choices == wanted:
        return last
    study.packs.all().delete()
    pack = Pack.objects.create(study=study, choices=wanted, asked_by=user)
    transaction.on_commit(partial(send, pack.pk))
    return pack


def send(pack_id: int) -> None:
    """Ask a worker. If the broker is away the page says that nobody has come."""
    from analysis.tasks import build_pack  # tasks import the services

    try:
        build_pack.apply_async(kwargs={"pack_id": pack_id}, retry=False)
    except (OperationalError, OSError) as error:
        log.warning("No message could be sent for pack %s: %s", pack_id, type(error).__name__)


def build(pack_id: int) -> None:
    """Build the pack, unless it is gone, done or in other hands. What fails is said on its page."""
    from analysis.pack.building import write_pack  # loads what draws

    if not claimed(pack_id):
        return
    pack = Pack.objects.select_related("study__project", "study__instrument_version__instrument").get(pk=pack_id)
    try:
        Pack.objects.filter(pk=pack_id).update(withheld=sorted(hidden_texts(pack.study)))
        with TemporaryFile() as file:
            write_pack(pack.study, choices_of(pack), file, partial(touch, pack_id))
            keep(pack, file)
    except BadChoice as bad:
        end(pack_id, PackState.FAILED, reason=str(bad))
    except Exception as error:
        end(pack_id, PackState.FAILED, reason=type(error).__name__)
        raise


def claimed(pack_id: int) -> bool:
    """Whether the pack is this worker's now: of two one gets it, and a silent one's is taken over."""
    now = timezone.now()
    free = Q(state=PackState.ASKED) | Q(state=PackState.BUILDING, touched_at__lt=now - SILENT_AFTER)
    return bool(Pack.objects.filter(free, pk=pack_id).update(state=PackState.BUILDING, touched_at=now, steps_done=0))


def touch(pack_id: int, steps_done: int) -> None:
    Pack.objects.filter(pk=pack_id).update(steps_done=steps_done, touched_at=timezone.now())


def keep(pack: Pack, file: IO[bytes]) -> None:
    """Store the file in parts, all of them or none."""
    size = file.seek(0, 2)
    file.seek(0)
    with transaction.atomic():
        pack.parts.all().delete()
        number = 0
        while content := file.read(PART):
            PackPart.objects.create(pack=pack, number=number, content=content)
            number += 1
        end(pack.pk, PackState.DONE, n_bytes=size)


def end(pack_id: int, state: PackState, **fields: Any) -> None:
    Pack.objects.filter(pk=pack_id).update(state=state, touched_at=timezone.now(), **fields)


def says_too_much(pack: Pack) -> bool:
    """Whether a text may not be shared any more that could be when the pack was built."""
    return not hidden_texts(pack.study) <= set(pack.withheld)


def content_of(pack: Pack) -> Iterator[bytes]:
    """The file, part by part."""
    for part in pack.parts.order_by("number").values_list("content", flat=True).iterator(chunk_size=1):
        yield bytes(part)


def as_json(choices: Choices) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(choices).items()}


def choices_of(pack: Pack) -> Choices:
    said: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in pack.choices.items()
    }
    return Choices(**said)
