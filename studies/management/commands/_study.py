from django.core.management.base import CommandError

from studies.models import Study


def study_named(slug: str) -> Study:
    """The study of that slug, or a sentence that ends the command."""
    study = Study.objects.select_related("project", "instrument_version").filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study “{slug}”. Make it with create_study.")
    return study
