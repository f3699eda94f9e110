"""Pictures of protocols, for the cards of the first step."""

from functools import cache
from inspect import getfile
from pathlib import Path

from django import template
from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from studies.protocols import Protocol

register = template.Library()
USUAL = settings.BASE_DIR / "templates" / "studies" / "design" / "card.svg"


@register.simple_tag
def draw_card(protocol: Protocol) -> SafeString:
    """The file `card.svg` in the folder of the protocol; of one without, a picture of any judgment."""
    own = Path(getfile(protocol.declare)).with_name("card.svg")
    return read_picture(own if own.exists() else USUAL)


@cache
def read_picture(path: Path) -> SafeString:
    return mark_safe(path.read_text("utf-8"))  # noqa: S308  our own files
