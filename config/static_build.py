"""Whether scripts and styles have been built (config/static_files.py); without Django, because settings import it."""

from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES, BUILT = ROOT / "static", ROOT / "built"
STORAGE = "config.static_files.BundlingStorage"
API_DOCS = "drf_spectacular_sidecar/swagger-ui-dist"
PLAIN_STORAGE = "django.contrib.staticfiles.storage.StaticFilesStorage"


def find_api_pages() -> tuple[str, str]:
    """(prefix, folder) of the scripts behind the API's pages, in the format of STATICFILES_DIRS."""
    package = find_spec("drf_spectacular_sidecar")
    assert package
    assert package.submodule_search_locations
    return API_DOCS, str(Path(package.submodule_search_locations[0], "static", API_DOCS))


API_PAGES = find_api_pages()


def is_built() -> bool:
    """Whether the built files belong to the present sources."""
    manifest = BUILT / "staticfiles.json"
    if not manifest.exists():
        return False
    sources = [ROOT / "config" / "static_files.py", *SOURCES.rglob("*")]
    return manifest.stat().st_mtime_ns >= max(source.stat().st_mtime_ns for source in sources)
