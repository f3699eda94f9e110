"""Projects in which every page of researchers has something to show: the sample, and studies of other protocols."""

from config.management.commands import load_sample
from llm.services import endpoints
from projects.models import Membership, Project, Role, User
from tests import dimensions, stopping
from tests.made_once import made_once
from tests.studies.test_writing import write, writing
from tests.studies.world import bank, make_live_study, person


def load_world() -> str:
    """The sample, and what `load_small_world` makes."""
    load_sample.load(endpoints.get_local_endpoint(), load_sample.use_recorded_replies())
    return load_small_world()


def load_small_world() -> str:
    """Projects with an imported study, with a draft, with a live one, and with one in which items were written."""
    live = Project.objects.create(slug="live", title="Live")
    bank(live)
    person(make_live_study(live)).start()
    dimensions.import_study(Project.objects.create(slug="dims", title="Dimensions"))
    stops = Project.objects.create(slug="stops", title="Stops")
    stopping.import_study(stops)
    stopping.draft_study(stops, slug="a-draft")
    study = writing(Project.objects.create(slug="writing", title="Writing"), slug="writing")
    write(person(study).start(), stem_1="Why do herons stand?", answer_1="To rest.", more_1="no")
    owner = User.objects.create_superuser("owner", password="correct horse battery")
    reader = User.objects.create_user("reader")
    for project in Project.objects.all():
        Membership.objects.create(project=project, user=owner, role=Role.OWNER)
        Membership.objects.create(project=project, user=reader, role=Role.VIEWER)
    return owner.username


loaded = made_once(load_world)
loaded_small = made_once(load_small_world)
