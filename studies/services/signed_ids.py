"""Ids of participants that nobody can invent: each comes with a signature made with the study's secret."""

import hmac
from collections.abc import Iterator
from urllib.parse import urlencode

from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from items.plain import make_printable, write_csv
from studies.models import Study
from studies.recruitment import IDENTITY, SIGNATURE
from studies.services.recruiting import get_recruitment
from studies.services.spec import SpecError

LENGTH = 32  # hexadecimal digits: 128 bits
MAX_IDS = 10_000


def get_id_secret(study: Study) -> str:
    """The secret with which your own system signs ids: HMAC-SHA256 of the id, the first 32 hexadecimal digits."""
    return salted_hmac("lesart.ids", study.open_token or "", algorithm="sha256").hexdigest()


def sign_id(study: Study, person: str) -> str:
    return hmac.new(get_id_secret(study).encode(), person.encode(), "sha256").hexdigest()[:LENGTH]


def is_signed(study: Study, person: str, signature: str) -> bool:
    return constant_time_compare(sign_id(study, person), signature)


def write_signed_links(study: Study, ids: str, address: str) -> str:
    """A table (CSV) of each id with its link to the open `address`. `SpecError` for an invalid id, and for
    duplicates."""
    if not study.open_token:
        raise SpecError(_("The study has no open link yet. Launch it first."))
    name = get_recruitment(study).parameters[0]
    queries = ((person, urlencode({name: person, SIGNATURE: sign_id(study, person)})) for person in read_ids(ids))
    return write_csv((name, "link"), ((person, f"{address}?{query}") for person, query in queries))


def read_ids(ids: str) -> Iterator[str]:
    """The ids, one per line."""
    lines = [line.strip() for line in ids.splitlines()]
    if not any(lines):
        raise SpecError(_("Enter at least one id, one per line."))
    if len(lines) > MAX_IDS:
        raise SpecError(_("At most %(limit)d ids at once. Split the list.") % {"limit": MAX_IDS})
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        place = {"number": number, "id": make_printable(line)}
        if not IDENTITY.fullmatch(line):
            raise SpecError(
                _("Line %(number)d, “%(id)s”: an id has letters, digits and . _ : @ - and at most 100 of them.") % place
            )
        if line in seen:
            values = place | {"first": seen[line]}
            raise SpecError(_("Line %(number)d, “%(id)s”: this id is also in line %(first)d.") % values)
        seen[line] = number
        yield line
