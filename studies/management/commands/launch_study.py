from studies.management.commands._study import StudyCommand
from studies.services.launching import launch_study


class Command(StudyCommand):
    help = "Launch a draft study: freeze it and open its links."

    def run(self, study, **options):
        study, chosen = launch_study(study)
        for notice in chosen.notices:
            self.stderr.write(notice)
        self.stdout.write(f"Study {study.slug} launched with {study.annotators.count()} annotators.")
