"""Addresses of what a page shows an annotator that is no words: opaque, and another for each annotator."""

from django.urls import reverse
from django.utils.crypto import salted_hmac


class PictureAddresses:
    """Gives out the address of a picture by its digest, and knows afterwards which pictures a page shows."""

    def __init__(self, public_id: str) -> None:
        self.public_id = public_id
        self.shown: dict[str, str] = {}  # digests by what stands in the address

    def __call__(self, digest: str) -> str:
        name = salted_hmac("studies.pictures", f"{self.public_id} {digest}", algorithm="sha256").hexdigest()[:32]
        self.shown[name] = digest
        return reverse("work_picture", args=[self.public_id, name])
