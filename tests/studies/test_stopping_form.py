"""The form of a stopping questionnaire: its one parameter, and a study made with it."""

from studies.models import Study
from tests.stopping import make_bank


def test_the_domain_is_a_field_of_the_form_and_a_parameter_of_the_study(project, as_user, researcher):
    make_bank(project)
    client = as_user(researcher)
    address = "/p/rivers/studies/new/?protocol=stopping-questionnaire"
    page = client.get(address).content.decode()
    assert 'name="domain"' in page
    assert "Annotators per question" in page
    sent = {"title": "Stops", "instrument": "stopping-questionnaire/en", "domain": "biology", "annotators": "2"}
    client.post(address, sent | {"per_unit": "2", "seed": "3"})
    assert Study.objects.get().params == {"domain": "biology", "flat": False}


def test_left_empty_it_is_what_the_wording_says(project, as_user, researcher):
    make_bank(project)
    sent = {"title": "Stops", "instrument": "stopping-questionnaire/en", "annotators": "2"}
    as_user(researcher).post("/p/rivers/studies/new/?protocol=stopping-questionnaire", sent)
    assert Study.objects.get().params == {"domain": "", "flat": False}
