from studies.management.commands._study import StudyCommand
from studies.services.launching import open_main_part


class Command(StudyCommand):
    help = "Open the main part of a study: annotators go on from the calibration to their own texts."

    def run(self, study, **options):
        study = open_main_part(study)
        self.stdout.write(f"The main part of {study.slug} is open.")
