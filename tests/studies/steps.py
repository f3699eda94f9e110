"""A draft designed by its pages: what a step shows is read from its form, changed, and sent back."""

from typing import Any

from bs4 import BeautifulSoup
from django.urls import reverse

from studies.models import Study

Fields = dict[str, Any]


def address(study: Study | str, step: str) -> str:
    return reverse("study_step", args=[getattr(study, "slug", study), step])


def read_fields(content: bytes) -> Fields:
    """What a browser would send of the step's form, without its button."""
    form = BeautifulSoup(content, "html.parser").select_one("form[data-design]")
    found: Fields = {}
    for tag in form.select("input[name], select[name], textarea[name]"):
        name = str(tag["name"])
        if tag.name == "select":
            option = tag.select_one("option[selected]") or tag.select_one("option")
            found[name] = option["value"]
        elif tag.name == "textarea":
            found[name] = tag.text.strip("\n")
        elif tag.get("type") in ("checkbox", "radio"):
            if tag.has_attr("checked"):
                found.setdefault(name, []).append(tag["value"] if tag.has_attr("value") else "on")
        else:
            found[name] = tag.get("value", "")
    return found


def begin(client, slug: str = "rivers", **fields: Any):
    """The answer to the first step of a new study."""
    url = reverse("study_new", args=[slug])
    return client.post(url, read_fields(client.get(url).content) | fields)


def send(client, study: Study | str, step: str, **changes: Any):
    """The answer to a step as it is shown, with changes; None leaves a field out."""
    url = address(study, step)
    fields = read_fields(client.get(url).content) | changes
    return client.post(url, {name: value for name, value in fields.items() if value is not None})


def error_text(page) -> str:
    """All error messages of the page."""
    form = page.context["form"]
    return " ".join(str(message) for messages in form.errors.values() for message in messages)
