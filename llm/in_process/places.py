"""Where models of this process may be: folders that the operator allowed, or names that may be downloaded."""

from importlib.util import find_spec
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from llm.addresses import BadAddress

SCHEME = "local:"
PACKAGES = ("torch", "transformers")


def is_in_process(base_url: str) -> bool:
    return base_url.strip().startswith(SCHEME)


def is_installed() -> bool:
    """Whether the packages are there; found without importing them, which takes seconds."""
    return all(find_spec(name) for name in PACKAGES)


def check_place(base_url: str) -> str:
    """`local:` with the folder, every link followed, or with the name; BadAddress if no model may be taken from there.

    The files themselves are looked at when the model is loaded, by whichever worker does.
    """
    where = base_url.strip().removeprefix(SCHEME).strip()
    if not is_installed():
        raise BadAddress(not_installed())
    if where in settings.LESART_HUB_MODELS:
        return SCHEME + where
    folder = Path(where).expanduser()
    if not folder.is_absolute():
        raise BadAddress(
            _("After local: stands the whole path of a folder, such as local:/srv/models/one. The name of a model "
              "that is to be downloaded is allowed by whoever runs the server: LESART_HUB_MODELS=%(name)s, then start "
              "again.")
            % {"name": where or "NAME"}
        )  # fmt: skip
    folder = folder.resolve()
    if not any(folder.is_relative_to(Path(allowed).expanduser().resolve()) for allowed in allowed_folders()):
        raise BadAddress(
            _("Models are taken from these folders: %(allowed)s. Put it there, or let whoever runs the server allow "
              "its folder: LESART_MODEL_FOLDERS=%(folder)s, then start again.")
            % {"allowed": ", ".join(allowed_folders()), "folder": folder.parent}
        )  # fmt: skip
    if not (folder / "config.json").is_file():
        raise BadAddress(
            _("%(folder)s holds no config.json, so there is no model that transformers could load. Name the folder "
              "into which it was saved.") % {"folder": folder}
        )  # fmt: skip
    return f"{SCHEME}{folder}"


def allowed_folders() -> list[str]:
    return list(settings.LESART_MODEL_FOLDERS)


def may_download(where: str) -> bool:
    return where in settings.LESART_HUB_MODELS


def not_installed() -> str:
    return _(
        "Models in the worker's own process need packages that are not installed here. Install and use them with: "
        "./lesart up --with local"
    )
