"""While effects are hidden, the results page offers no way to pages that would refuse to open."""

from django.urls import reverse

from studies.models import Study, StudyState
from studies.services.responses.importing import import_responses
from studies.services.states import switch_effects
from tests import dimensions
from tests.studies.answer_files import as_csv


def test_what_is_hidden_is_not_linked(project, owner, client):
    dimensions.make_bank(project)
    study = dimensions.draft_study(project)
    import_responses(study, as_csv(dimensions.first_round()))
    Study.objects.filter(pk=study.pk).update(state=StudyState.LIVE)
    study.refresh_from_db()
    client.force_login(owner)
    stand_in, sheets = reverse("stand_in", args=[study.slug]), f"/s/{study.slug}/items/"
    leading = {stand_in: "results_compare", sheets: "results_items"}
    for address, name in leading.items():
        assert address in client.get(reverse(name, args=[study.slug])).content.decode()
    switch_effects(study, owner, hidden=True)
    for name in (*leading.values(), "study_results", "results_agreement", "results_details"):
        hidden = client.get(reverse(name, args=[study.slug])).content.decode()
        assert not [address for address in leading if address in hidden]
