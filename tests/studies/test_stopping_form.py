"""The steps of a stopping questionnaire: its parameters, and a study made with them."""

from studies.models import Study
from tests.stopping import make_bank
from tests.studies.steps import address, begin, send


def test_the_domain_is_a_field_of_the_form_and_a_parameter_of_the_study(project, as_user, researcher):
    make_bank(project)
    client = as_user(researcher)
    begin(client, title="Stops", protocol="stopping-questionnaire")
    page = client.get(address("stops", "people")).content.decode()
    assert "How many people judge each question?" in page
    send(client, "stops", "people", domain="biology", annotators="2", reading="some", per_unit="2")
    assert Study.objects.get().params == {"domain": "biology", "flat": False}
    assert Study.objects.get().plan["per_unit"] == 2
