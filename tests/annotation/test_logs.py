"""A personal link is not in the logs."""

import logging

from django.test import Client
from django.utils import timezone

from studies.models import Annotator


def test_a_revoked_link_is_not_logged(walker, caplog):
    Annotator.objects.filter(pk=walker.annotator.pk).update(revoked_at=timezone.now())
    walker.join()
    assert "Gone: /join/…/" in caplog.text
    assert walker.annotator.token not in caplog.text


def test_a_refused_button_does_not_log_the_link(walker, caplog):
    Client(enforce_csrf_checks=True).post(f"/join/{walker.annotator.token}/")
    assert "/join/…/" in caplog.text
    assert walker.annotator.token not in caplog.text


def test_the_development_server_does_not_log_the_link(caplog):
    logging.getLogger("django.server").propagate = True
    with caplog.at_level(logging.INFO):
        logging.getLogger("django.server").info('"%s" %s %s', "GET /join/abcdefghijklmnop/ HTTP/1.1", "200", "10")
    assert "abcdefghijklmnop" not in caplog.text


def test_the_work_address_is_logged(caplog, client, db):
    client.get("/work/0123456789abcdef/")
    assert "/work/0123456789abcdef/" in caplog.text
