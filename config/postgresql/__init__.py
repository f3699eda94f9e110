"""Django's PostgreSQL backend for servers that may fall silent, and the time limits of web requests."""

from django.db import connections

WEB_LIMITS = "-c statement_timeout=30000 -c lock_timeout=10000"


def limit_web_connections() -> None:
    """For the web server alone: a command or a worker may take as long as its work takes."""
    database = connections.settings["default"]
    if database["ENGINE"] == "config.postgresql":
        options = database["OPTIONS"]
        options["options"] = f"{options.get('options', '')} {WEB_LIMITS}".strip()
