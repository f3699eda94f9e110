"""Recruitment in a study file: how people join, the platform's settings and the completion codes; unknown fields are
errors."""

import re
from typing import Annotated, Literal

from django.utils.translation import gettext as _
from pydantic import AfterValidator, Field, model_validator

from studies.phases import Strict

Platform = Literal["", "prolific", "mturk", "other"]
# Query parameters by which a platform identifies participants; the first is the person's id.
PARAMETERS: dict[str, tuple[str, ...]] = {
    "prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    "mturk": ("workerId", "assignmentId", "hitId"),
}
# Mechanical Turk shows the open link in a frame, and names in the address the host to which work is submitted.
TURK_FRAMES = "https://*.mturk.com"
TURK_HOSTS = ("https://www.mturk.com", "https://workersandbox.mturk.com")
TURK_HOST, TURK_PATH = "turkSubmitTo", "/mturk/externalSubmit"
RETURN_TO = {"prolific": "https://app.prolific.com/submissions/complete?cc={code}"}
LEAST_TIME_OUT = 30  # minutes
TIME_OUT_TIMES = 3  # the estimated minutes


def check_code(text: str) -> str:
    if not text.isascii() or not text.isprintable() or any(character in text for character in "<>\"'&"):
        raise ValueError(_("a code may have letters, digits and simple punctuation only."))
    return text


def check_address(text: str) -> str:
    if text and not text.startswith("https://"):
        raise ValueError(_("the address must begin with https://."))
    if any(character.isspace() for character in text):
        raise ValueError(_("an address has no spaces."))
    return text


Code = Annotated[str, Field(max_length=60), AfterValidator(check_code)]
Parameter = Annotated[str, Field(max_length=60, pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
Minutes = Annotated[int, Field(ge=1, le=100_000, strict=True)]


IDENTITY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99}", re.ASCII)  # a participant id of a platform
SIGNATURE = "signature"  # the query parameter with the signature of an id


class Codes(Strict):
    """The completion codes for people who have finished, were screened out, or failed a check."""

    finished: Code = ""
    screened_out: Code = ""
    failed_check: Code = ""


class Recruitment(Strict):
    """The open link, the platform's settings, how long a place is reserved, and what annotators' pages offer."""

    open_link: bool = False
    platform: Platform = ""
    id_parameter: Parameter = "participant"
    signed_ids: bool = False
    read_aloud: bool = False
    comments: bool = False
    cap: Annotated[int, Field(ge=1, le=100_000, strict=True)] | None = None
    units_per_person: Annotated[int, Field(ge=1, le=10_000, strict=True)] | None = None
    minutes: Minutes | None = None
    time_out: Minutes | None = None
    codes: Codes = Codes()
    return_to: Annotated[str, Field(max_length=500), AfterValidator(check_address)] = ""

    @model_validator(mode="after")
    def platform_has_codes(self) -> "Recruitment":
        if self.platform and not self.open_link:
            raise ValueError(_("a platform sends people to the open link: set open_link to true."))
        if self.signed_ids and not self.platform:
            raise ValueError(_("signed ids need a platform: set “platform” too."))
        if self.platform in ("prolific", "mturk") and not self.codes.finished:
            raise ValueError(_("the platform needs codes.finished, the code of people who have finished."))
        used = [code for code in self.codes.model_dump().values() if code]
        if len(set(used)) < len(used):
            raise ValueError(_("two of the codes are the same."))
        return self

    @property
    def parameters(self) -> tuple[str, ...]:
        """The query parameters that are read; the first is the participant id. Empty without a platform."""
        return PARAMETERS.get(self.platform, (self.id_parameter,) if self.platform else ())

    def get_return_address(self, code: str) -> str:
        """The platform's address for this completion code; empty if people enter the code themselves."""
        address = self.return_to or RETURN_TO.get(self.platform, "")
        return address.replace("{code}", code) if code else ""
