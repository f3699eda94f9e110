from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "studies"

    def ready(self):
        from jobs.workers import add_chore  # models can be imported only now
        from projects.deletion import takes_along

        # A unit is what one assignment is about: without one of its items it would be another one.
        takes_along("studies.UnitItem", "unit")
        add_chore("studies.services.lifecycle.close_due_studies")
