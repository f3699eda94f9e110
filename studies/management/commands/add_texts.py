from studies.management.commands._study import StudyCommand
from studies.services.blocks import add_texts


class Command(StudyCommand):
    help = "Add texts of the project to a live or paused study, as a numbered block with a plan of its own."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("--texts", nargs="+", required=True, metavar="ID", help="ids of texts of the project")
        parser.add_argument("--finished-too", action="store_true", help="also give them to people who have finished")

    def run(self, study, **options):
        added = add_texts(study, options["texts"], finished_too=options["finished_too"])
        self.stdout.write(
            f"Block {added.number} of {study.slug}: {added.texts} texts, {added.units} units, "
            f"{added.assignments} assignments for people."
        )
