"""Scripts and styles for browsers: bundled per kind of page, compressed, and named by their content.

python -m config.static_files     # build what has changed

The folder `built` is made from `static` and never committed. Pages use it while it is newer than its sources;
otherwise they use the sources directly, which takes more requests and looks the same.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from django.contrib.staticfiles.finders import FileSystemFinder
from django.core.files.base import ContentFile
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage

from config.static_build import BUILT, SOURCES, is_built

BUNDLES = ("css/lesart.css", "css/annotate.css", "js/site.js", "js/annotate.js")
CSS_IMPORT = re.compile(r'^@import "(?P<name>[\w.-]+)";\n', re.M)
JS_IMPORT = re.compile(r'^import (?:\{[^}]*\} from )?"\./(?P<name>[\w.-]+)";\n', re.M)
COMMENT = re.compile(r"^/\*.*?\*/\n", re.M | re.S)  # only comments on lines of their own
JS_EXPORT = re.compile(r"^export (?=async |function |const |class )", re.M)


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """Browsers keep files named by their content for a year, the maximum in HTTP (RFC 2616, 14.21)."""

    FOREVER = 365 * 24 * 60 * 60


class BundlingStorage(CompressedManifestStaticFilesStorage):
    """Adds the imports to a bundle before the files get their names."""

    patterns = ()  # styles name no other files, and a vendored script names a missing map
    support_js_module_import_aggregation = True

    def post_process(self, paths, dry_run=False, **options):
        for name in BUNDLES:
            self.delete(name)
            self.save(name, ContentFile(bundle(SOURCES / name)))
            paths[name] = (self, name)
        yield from super().post_process(paths, dry_run, **options)


def bundle(file: Path) -> str:
    """A style or a module with all its imports from its own folder, each file once, before the files that import it.

    The modules share one scope, so no two of them may define the same top-level name.
    """
    whole = "".join(_collect(file, CSS_IMPORT if file.suffix == ".css" else JS_IMPORT, set()))
    return COMMENT.sub("", whole)


def _collect(file: Path, imports: re.Pattern[str], seen: set[Path]) -> list[str]:
    if file in seen:
        return []
    seen.add(file)
    text = file.read_text("utf-8")
    before = [part for found in imports.finditer(text) for part in _collect(file.parent / found["name"], imports, seen)]
    return [*before, JS_EXPORT.sub("", imports.sub("", text))]


def build_stale() -> bool:
    """Build if needed; returns whether anything was built. If the folder is not writable, the sources stay in use."""
    if is_built():
        return False
    try:
        build(BUILT)
    except PermissionError:
        return False
    return True


def build(folder: Path) -> None:
    """Write all files into the folder in one step, so that no server sees half of them."""
    made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f"{folder.name}."))
    try:
        storage = BundlingStorage(location=str(made))
        paths = {}
        for path, source in FileSystemFinder().list(["*.map"]):
            name = f"{source.prefix}/{path}" if source.prefix else path
            with source.open(path) as content:
                storage.save(name, content)
            paths[name] = (storage, name)
        for _name, _hashed, outcome in storage.post_process(paths):
            if isinstance(outcome, Exception):
                raise outcome
        made.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


if __name__ == "__main__":
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    sys.exit(0 if build_stale() or is_built() else "The folder “built” cannot be written.")
