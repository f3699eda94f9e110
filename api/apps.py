from datetime import timedelta

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from jobs.kinds import Kind, listen, register


def notify_webhooks(event: str, project_id: int, subject: str) -> None:
    """Schedule the deliveries of an event. Imports the service only then, not at every start."""
    from api.services.webhooks import schedule_deliveries

    schedule_deliveries(event, project_id, subject)


class ApiConfig(AppConfig):
    name = "api"

    def ready(self):
        steps = {"try": _("Try %(done)s of %(total)s.")}
        work = "api.services.webhooks.deliver"
        register(Kind("webhook", work, _("Telling a webhook"), steps, keep=timedelta(days=7)))
        listen(notify_webhooks)
