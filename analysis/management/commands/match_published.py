"""`match_published SLUG "OWN=PUBLISHED" …`: says which published generator a generator of a study is."""

from django.core.management.base import BaseCommand, CommandError

from studies.management.commands._study import find_study


class Command(BaseCommand):
    help = "Stores which published generator a generator of a study is; without a pair it lists the matches."

    def add_arguments(self, parser):
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument(
            "pairs", nargs="*", metavar="OWN=PUBLISHED", help='names of generators; "OWN=" says that it is none'
        )

    def handle(self, *, slug, pairs, **options):
        from analysis.published_names import (
            BadMatch,
            list_own_generators,
            match_generators,
            read_matches,
            store_matches,
        )
        from analysis.reports.published import list_published_generators

        study = find_study(slug)
        published = list_published_generators(study.protocol)
        try:
            store_matches(study, published, dict(map(parse_pair, pairs)), None)
        except BadMatch as error:
            raise CommandError(str(error)) from None
        own = list_own_generators(study)
        matches = match_generators(published, own, read_matches(study))
        for name in own:
            self.stdout.write(f"{name} = {matches.get(name, '(none)')}")


def parse_pair(written: str) -> tuple[str, str]:
    own, sign, published = written.rpartition("=")
    if not sign:
        raise CommandError(f"“{written}” is no pair. Write OWN=PUBLISHED, in quotation marks if a name has blanks.")
    return own.strip(), published.strip()
