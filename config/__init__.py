"""Wiring only: settings, URLs, Celery and the `lesart` command."""
