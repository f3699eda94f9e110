"""Django's PostgreSQL backend for servers that may stop responding, and the time limits of web requests."""

from django.db import connections

WEB_LIMITS = "-c statement_timeout=30000 -c lock_timeout=10000"


def limit_web_connections() -> None:
    """For the web server only: commands and workers may take as long as they need."""
    database = connections.settings["default"]
    if database["ENGINE"] == "config.postgresql":
        options = database["OPTIONS"]
        options["options"] = f"{options.get('options', '')} {WEB_LIMITS}".strip()
