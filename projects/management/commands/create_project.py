from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from projects.services import create_project


class Command(BaseCommand):
    help = "Makes a project. Its members are invited by an admin on the page; admins see every project."

    def add_arguments(self, parser):
        parser.add_argument("slug", metavar="SLUG", help="short name: letters a-z, digits, hyphens and underscores")
        parser.add_argument("--title", metavar="T", help="default: the short name")

    def handle(self, *, slug, title, **options):
        try:
            project = create_project(slug=slug, title=slug if title is None else title)
        except ValidationError as error:
            sentences = (f"{field}: {' '.join(messages)}" for field, messages in error.message_dict.items())
            raise CommandError("No project was made. " + " ".join(sentences)) from None
        self.stdout.write(f"Project {project.slug} is made.")
