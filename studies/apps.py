from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StudiesConfig(AppConfig):
    name = "studies"

    def ready(self):
        from jobs.kinds import Kind, register  # models cannot be imported earlier
        from jobs.workers import add_chore
        from projects.deletion import delete_upward

        # A unit is what one assignment is about; without one of its items it would be a different unit.
        delete_upward("studies.UnitItem", "unit")
        steps = {"letters": _("%(done)s of %(total)s messages.")}
        register(Kind("mail", "studies.services.roster.send_mail", _("Sending mail"), steps))
        steps = {"people": _("%(done)s of %(total)s people.")}
        register(Kind("roster", "studies.services.roster.take_roster_by_job", _("Giving people links"), steps))
        steps = {"assignments": _("%(done)s of %(total)s assignments.")}
        register(Kind("launch", "studies.services.launching.launch_by_job", _("Launching the study"), steps))
        work = "studies.services.responses.importing.import_by_job"
        steps = {
            "read": _("Reading the file."),
            "rows": _("%(done)s of %(total)s rows checked."),
            "answers": _("%(done)s of %(total)s answers stored."),
        }
        register(Kind("import_answers", work, _("Importing answers"), steps))
        add_chore("studies.services.lifecycle.close_due_studies")
        add_chore("studies.services.recruiting.return_timed_out_work")
