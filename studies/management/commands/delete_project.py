from django.core.management.base import BaseCommand, CommandError

from projects.models import Project
from studies.services.deleting import NotConfirmed, delete_with_all, describe_deletion
from studies.services.states import WrongState


class Command(BaseCommand):
    help = "Delete a project with everything in it, answers and files too. There is no way back."

    def add_arguments(self, parser):
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("--confirm", metavar="SLUG", default="", help="the short name once more")

    def handle(self, *, slug, confirm, **options):
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            raise CommandError(f"There is no project “{slug}”.")
        going = describe_deletion(project)
        try:
            delete_with_all(project, confirm, waits=True)
        except (NotConfirmed, WrongState) as error:
            raise CommandError(f"{error} It holds: {', '.join(going) or 'nothing'}.") from None
        self.stdout.write(f"Project {slug} is deleted: {', '.join(going) or 'it was empty'}.")
