"""While effects are hidden, the results page offers no way to pages that would refuse to open."""

from django.urls import reverse

from studies.models import Study, StudyState
from studies.services.responses.importing import import_responses
from studies.services.states import switch_effects
from tests import dimensions
from tests.studies.answer_files import as_csv


def test_what_is_hidden_is_not_linked(project, owner, client):
    dimensions.make_bank(project)
    study = dimensions.drafted(project)
    import_responses(study, as_csv(dimensions.first_round()))
    Study.objects.filter(pk=study.pk).update(state=StudyState.LIVE)
    study.refresh_from_db()
    client.force_login(owner)
    stand_in, sheets = reverse("stand_in", args=[study.slug]), f"/s/{study.slug}/items/"
    shown = client.get(reverse("results_details", args=[study.slug])).content.decode()
    assert stand_in in shown
    assert sheets in shown
    switch_effects(study, owner, hidden=True)
    hidden = client.get(reverse("results_details", args=[study.slug])).content.decode()
    assert stand_in not in hidden
    assert sheets not in hidden
