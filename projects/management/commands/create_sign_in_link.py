from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from projects.services import NameTaken, create_sign_in_link, ensure_admin


class Command(BaseCommand):
    help = "Prints a link that signs the admin in, once, within 24 hours; makes the user admin if there is no admin."

    def add_arguments(self, parser):
        parser.add_argument("--base", default="http://127.0.0.1:8000", metavar="URL", help="where Lesart is reached")

    def handle(self, *, base, **options):
        if urlsplit(base).scheme not in ("http", "https") or not urlsplit(base).netloc:
            raise CommandError(f"--base is {base!r}; write an address such as http://127.0.0.1:8000")
        try:
            token = create_sign_in_link(ensure_admin())
        except NameTaken:
            raise CommandError(
                "No user is an admin, and the name admin is taken. Make one: python manage.py createsuperuser"
            ) from None
        self.stdout.write(base.rstrip("/") + reverse("sign_in_link", args=[token]))
