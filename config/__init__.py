"""Only the wiring: settings, URLs, Celery and the `lesart` command."""
