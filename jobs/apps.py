from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JobsConfig(AppConfig):
    name = "jobs"

    def ready(self):
        from jobs.kinds import Kind, register  # models cannot be imported earlier
        from projects.deletion import before_deleting

        steps = {"rows": _("%(done)s of %(total)s rows.")}
        register(Kind("deletion", "jobs.deleting.work_off_deletion", _("Deleting"), steps))
        before_deleting("jobs.Job", "jobs.deleting.delete_job_files")
