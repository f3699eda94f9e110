"""Small pictures for tests, with a comment in the file that no stored one may have."""

import base64
import io

from PIL import Image
from PIL.PngImagePlugin import PngInfo

HUSH = "hush-written-by-gen-alder"


def make_png(width: int = 12, height: int = 8, colour: str = "red") -> bytes:
    info, file = PngInfo(), io.BytesIO()
    info.add_text("Comment", HUSH)
    Image.new("RGB", (width, height), colour).save(file, "PNG", pnginfo=info)
    return file.getvalue()


def as_uri(content: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"
