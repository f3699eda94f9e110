"""Scripts and styles: bundled, compressed, named by their content, used while they are those of the sources."""

import json
import os
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client, override_settings

from config import static_build, static_files

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def static_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("static") / "built"
    static_files.build(folder)
    return folder


@pytest.fixture
def with_built(static_folder):
    """The site as it serves built files."""
    storages = settings.STORAGES | {"staticfiles": {"BACKEND": static_build.STORAGE}}
    with override_settings(STATIC_ROOT=static_folder, STORAGES=storages, WHITENOISE_USE_FINDERS=False):
        yield Client()


def test_a_page_names_files_by_their_content_and_browsers_keep_them_for_a_year(db, with_built):
    page = with_built.get("/glossary/", headers={"Accept-Encoding": "gzip"})
    assert page.headers["Content-Encoding"] == "gzip"
    names = re.findall(r'/static/([\w./-]+)"', with_built.get("/glossary/").content.decode())
    assert len(names) == 4  # icon, style, two scripts
    for name in names:
        file = with_built.get(f"/static/{name}", headers={"Accept-Encoding": "gzip"})
        assert re.search(r"\.[0-9a-f]{12}\.", name), name
        assert file.headers["Cache-Control"] == "max-age=31536000, public, immutable"
        assert file.headers["Content-Encoding"] == "gzip"


def test_an_annotator_needs_one_style_and_one_script(static_folder):
    paths = json.loads((static_folder / "staticfiles.json").read_text())["paths"]
    for name in ("css/annotate.css", "js/annotate.js"):
        text = (static_folder / paths[name]).read_text()
        assert not re.search(r"^\s*(@import|import|export)\b", text, re.M)
        assert (static_folder / f"{paths[name]}.gz").stat().st_size < 9_500
        names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", text, re.M)
        assert len(names) == len(set(names))  # a module that declares a name twice does not run


def test_files_that_are_older_than_their_sources_are_not_used(tmp_path, monkeypatch):
    source, manifest = tmp_path / "static" / "a.css", tmp_path / "built" / "staticfiles.json"
    for file in (source, manifest):
        file.parent.mkdir()
        file.write_text("")
    monkeypatch.setattr(static_build, "SOURCES", source.parent)
    monkeypatch.setattr(static_build, "BUILT", manifest.parent)
    newest = Path(static_files.__file__).stat().st_mtime_ns + 10**9
    for stamp, expected in ((newest - 1, False), (newest + 1, True)):
        os.utime(source, ns=(newest, newest))
        os.utime(source.parent, ns=(newest, newest))
        os.utime(manifest, ns=(stamp, stamp))
        assert static_build.is_built() is expected
