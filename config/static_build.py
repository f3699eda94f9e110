"""Whether scripts and styles have been built (config/static_files.py); settings ask it before Django is there."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES, BUILT = ROOT / "static", ROOT / "built"
STORAGE = "config.static_files.BundlingStorage"
PLAIN_STORAGE = "django.contrib.staticfiles.storage.StaticFilesStorage"


def is_built() -> bool:
    """Whether the built files are those of the sources that are here now."""
    manifest = BUILT / "staticfiles.json"
    if not manifest.exists():
        return False
    sources = [ROOT / "config" / "static_files.py", *SOURCES.rglob("*")]
    return manifest.stat().st_mtime_ns >= max(source.stat().st_mtime_ns for source in sources)
