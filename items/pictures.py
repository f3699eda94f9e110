"""Pictures of texts: read from uploads and data URIs within limits, with metadata of cameras and programs removed.

They are stored in the database, so that they are created and deleted with their project in one transaction.
"""

import base64
import binascii
import hashlib
import io
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from PIL import Image, ImageOps

from items.models import Picture, Text
from projects.models import Project

MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg"}
MAX_BYTES = 5_000_000  # of an upload
MAX_STORED = 1_500_000
MAX_PIXELS = 40_000_000
MAX_SIDE = 1_600
DATA_URI = re.compile(r"data:image/[a-z+.-]+;base64,([A-Za-z0-9+/=\s]*)")


class BadPicture(ValueError):
    """A picture that cannot be stored; the message says why, and what to do."""


@dataclass(frozen=True)
class PictureContent:
    """A picture in the form in which it is stored."""

    media_type: str
    width: int
    height: int
    content: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def read_data_uri(uri: str) -> PictureContent:
    """The picture in a data URI."""
    found = DATA_URI.fullmatch(uri) if len(uri) <= MAX_BYTES * 2 else None
    try:
        return read_picture(base64.b64decode(found[1], validate=False) if found else b"")
    except binascii.Error:
        raise BadPicture(explain_unreadable()) from None


def read_picture(content: bytes) -> PictureContent:
    """A PNG or JPEG picture, rotated upright, at most MAX_SIDE pixels wide and high, without metadata.

    If nothing has to change, the bytes are kept, so that an exported picture is the same when it is imported again.
    """
    if len(content) > MAX_BYTES:
        raise BadPicture(_("The picture is larger than {limit} MB.").format(limit=MAX_BYTES // 1_000_000))
    try:
        with Image.open(io.BytesIO(content), formats=list(MEDIA_TYPES)) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                raise BadPicture(_("The picture has more than {limit} megapixels.").format(limit=MAX_PIXELS // 10**6))
            kind = opened.format or ""
            opened.load()
            picture = shrink(ImageOps.exif_transpose(opened))
            is_bare = picture.size == opened.size and not opened.getexif() and is_bare_file(opened)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        if isinstance(error, BadPicture):
            raise
        raise BadPicture(explain_unreadable()) from None
    written = content if is_bare else encode(picture, kind)
    if len(written) > MAX_STORED:
        raise BadPicture(_("The picture is too large to be shown. Reduce it, or save it as JPEG."))
    return PictureContent(MEDIA_TYPES[kind], picture.width, picture.height, written)


def explain_unreadable() -> str:
    return _("This is no PNG or JPEG picture, or it is damaged. Save it as PNG or JPEG.")


def shrink(picture: Image.Image) -> Image.Image:
    if max(picture.size) <= MAX_SIDE:
        return picture
    picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    picture.thumbnail((MAX_SIDE, MAX_SIDE))
    return picture


KEPT_FACTS = {"jfif", "jfif_version", "jfif_unit", "jfif_density", "dpi", "gamma", "transparency", "srgb", "adobe",
              "adobe_transform", "progressive", "progression", "chromaticity", "aspect", "interlace"}  # fmt: skip


def is_bare_file(picture: Image.Image) -> bool:
    """Whether the file has only the picture itself: no comment, location, program or color profile."""
    return set(picture.info) <= KEPT_FACTS


def encode(picture: Image.Image, kind: str) -> bytes:
    """The same pixels in a file without metadata."""
    bare = Image.new(picture.mode, picture.size)
    bare.paste(picture)
    if picture.mode == "P":
        bare.putpalette(picture.getpalette() or [])
    if "transparency" in picture.info:
        bare.info["transparency"] = picture.info["transparency"]
    written = io.BytesIO()
    bare.save(written, kind, **({"quality": 90} if kind == "JPEG" else {"optimize": True}))
    return written.getvalue()


def store_pictures(project: Project, pictures: Iterable[PictureContent]) -> None:
    """Store those that the project does not have yet."""
    rows = [Picture(project=project, digest=each.digest, **vars(each)) for each in pictures]
    Picture.objects.bulk_create(rows, ignore_conflicts=True)


def write_data_uri(picture: PictureContent | Picture) -> str:
    return f"data:{picture.media_type};base64,{base64.b64encode(bytes(picture.content)).decode()}"


def write_data_uris(text: Text) -> dict[str, str]:
    """The text's pictures by name, as in files of texts."""
    return write_picture_uris(text.project_id, text.pictures)


def write_picture_uris(project_id: int, digests: Mapping[str, str]) -> dict[str, str]:
    """The pictures with these digests by name, as in files."""
    if not digests:
        return {}
    found = Picture.objects.filter(project=project_id, digest__in=digests.values())
    uris = {each.digest: write_data_uri(each) for each in found}
    return {name: uris[digest] for name, digest in sorted(digests.items()) if digest in uris}


def delete_unused_pictures(project: Project, going: Collection[int] = (), kept: Collection[str] = ()) -> None:
    """Delete the pictures that only the `going` texts of the project use; not those `kept`, by digest."""
    others = Text.objects.filter(project=project).exclude(pk__in=going).exclude(pictures={})
    used = {digest for pictures in others.values_list("pictures", flat=True) for digest in pictures.values()}
    project.pictures.exclude(digest__in=used | set(kept)).delete()
