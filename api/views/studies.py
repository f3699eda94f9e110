"""Instruments, studies, their annotators, and imports of answers."""

from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request

from api.models import Scope
from api.problems import Refused
from api.shapes import JobSerializer
from api.views.base import FileView, Filter, ProjectView, StudyView, operation
from jobs.models import Job
from jobs.views import ResultPending
from projects.models import Role
from studies.models import Annotator, AnnotatorKind, InstrumentVersion, Purpose, Study, StudyState
from studies.services import creating, launching, people
from studies.services.blocks import add_texts, draw_more_texts
from studies.services.instrument_writing import import_instrument
from studies.services.instruments import get_source, list_instruments
from studies.services.people_texts import find_draw
from studies.services.progress import classify_annotator, count_progress, list_annotators
from studies.services.responses.importing import AnswerFile, import_or_schedule
from studies.services.responses.mapping import parse_mapping
from studies.services.spec import StudySpec, check_spec
from studies.services.states import are_effects_hidden
from studies.views.studies import ACTIONS


class InstrumentSerializer(serializers.Serializer):
    """The newest version of a wording or of prompts."""

    id = serializers.IntegerField(source="instrument.pk")
    name = serializers.CharField(source="instrument.name")
    language = serializers.CharField(source="instrument.language")
    version = serializers.IntegerField(source="version.version")
    is_own = serializers.BooleanField(help_text="Whether it belongs to the project, not the server.")
    use = serializers.CharField(source="kind.use", default=None, allow_null=True)


class InstrumentSourceSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="instrument.pk")
    name = serializers.CharField(source="instrument.name")
    language = serializers.CharField(source="instrument.language")
    version = serializers.IntegerField()
    note = serializers.CharField()
    source = serializers.SerializerMethodField(help_text="YAML.")

    def get_source(self, version: InstrumentVersion) -> str:
        return get_source(version)


class NewInstrumentSerializer(serializers.Serializer):
    source = serializers.CharField(max_length=4_000_000, trim_whitespace=False, help_text="YAML (docs/instruments.md).")
    note = serializers.CharField(required=False, max_length=200, help_text="What is new in this version.")


class InstrumentPageSerializer(serializers.Serializer):
    results = InstrumentSerializer(many=True)


class Instruments(ProjectView):
    @operation("List instruments", gives=InstrumentPageSerializer)
    def get(self, request: Request, project: str) -> Any:
        """The project's own, then the server's and those shipped with Lesart."""
        return self.show({"results": list_instruments(self.project)})

    @operation(
        "Store an instrument",
        scope=Scope.WRITE,
        role=Role.RESEARCHER,
        takes=NewInstrumentSerializer,
        gives=InstrumentSourceSerializer,
        status=201,
    )
    def post(self, request: Request, project: str) -> Any:
        """A new instrument of the project, or the next version under its name; unchanged words change nothing."""
        given = self.read(NewInstrumentSerializer)
        version, _is_new = import_instrument(
            given["source"], self.project, user=request.user, note=given.get("note", "")
        )
        return self.show(version, status=201)


class OneInstrument(ProjectView):
    @operation("Show an instrument", gives=InstrumentSourceSerializer)
    def get(self, request: Request, project: str, instrument: int) -> Any:
        """Its newest version as YAML."""
        known = {each.instrument.pk: each.version for each in list_instruments(self.project)}
        if instrument not in known:
            raise Http404
        return self.show(known[instrument])


class ProgressSerializer(serializers.Serializer):
    annotators = serializers.IntegerField()
    finished = serializers.IntegerField(help_text="Assignments that are finished.")
    total = serializers.IntegerField(help_text="All assignments of people.")


class BlockSerializer(serializers.Serializer):
    number = serializers.IntegerField(help_text="From 2; the texts of the launch are block 1.")
    added_at = serializers.DateTimeField()
    texts = serializers.IntegerField()
    units = serializers.IntegerField()
    finished_too = serializers.BooleanField(help_text="Whether people who had finished got them.")


class StudySerializer(serializers.Serializer):
    slug = serializers.CharField()
    project = serializers.CharField(source="project.slug")
    title = serializers.CharField()
    protocol = serializers.CharField()
    language = serializers.CharField()
    instrument = serializers.SerializerMethodField(help_text="name/language@version")
    items = serializers.DictField(source="selection")
    plan = serializers.DictField()
    params = serializers.DictField()
    groups = serializers.ListField(child=serializers.CharField())
    blocks = BlockSerializer(many=True, help_text="Texts that were added after the launch.")
    seed = serializers.IntegerField()
    state = serializers.ChoiceField(StudyState.choices)
    effects_hidden = serializers.SerializerMethodField(help_text="Whether results by generator are hidden for now.")
    created_at = serializers.DateTimeField()
    launched_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)

    def get_instrument(self, study: Study) -> str:
        return f"{study.instrument_version.instrument}@{study.instrument_version.version}"

    def get_effects_hidden(self, study: Study) -> bool:
        return are_effects_hidden(study)


class OneStudySerializer(StudySerializer):
    progress = serializers.SerializerMethodField()

    def get_progress(self, study: Study) -> ProgressSerializer:
        return ProgressSerializer(count_progress(study)).data


STUDY_FILTERS = (
    Filter("state", "state", "Only studies in this state.", tuple(StudyState.values)),
    Filter("protocol", "protocol", "Only studies of this protocol."),
)
STUDY_SORTS = {"slug": "slug", "title": "title", "created_at": "created_at"}


class Studies(ProjectView):
    @operation("List studies", gives=StudySerializer, paged=True, filters=STUDY_FILTERS, sorts=STUDY_SORTS)
    def get(self, request: Request, project: str) -> Any:
        return self.page(self.project.studies.select_related("project", "instrument_version__instrument"))

    @operation(
        "Create a draft study",
        scope=Scope.WRITE,
        role=Role.RESEARCHER,
        takes=StudySpec,
        gives=OneStudySerializer,
        status=201,
    )
    def post(self, request: Request, project: str) -> Any:
        """The body has the contents of a study file (docs/studies.md), as JSON."""
        study, _chosen = creating.create_study(self.project, check_spec(dict(request.data)))
        return self.show(study, status=201)


class OneStudy(StudyView):
    @operation("Show a study", gives=OneStudySerializer)
    def get(self, request: Request, study: str) -> Any:
        return self.show(self.study)

    @operation("Change a draft", scope=Scope.WRITE, role=Role.RESEARCHER, takes=StudySpec, gives=OneStudySerializer)
    def put(self, request: Request, study: str) -> Any:
        """The body has all contents of a study file; the short name stays."""
        self.require_match(self.study, OneStudySerializer)
        creating.change_study(self.study, check_spec(dict(request.data) | {"slug": self.study.slug}))
        return self.show(Study.objects.get(pk=self.study.pk))

    @operation("Delete a draft", scope=Scope.WRITE, role=Role.RESEARCHER, status=204)
    def delete(self, request: Request, study: str) -> HttpResponse:
        self.require_match(self.study, OneStudySerializer)
        launching.delete_draft(self.study)
        return HttpResponse(status=204)


class ActOnStudy(StudyView):
    """`step` is an action of the study page."""

    step = ""

    @operation(
        "Launch, pause, resume, close or reopen a study, or open its next part",
        scope=Scope.WRITE,
        role=Role.RESEARCHER,
        gives=OneStudySerializer,
        may_wait=True,
    )
    def post(self, request: Request, study: str) -> Any:
        """A launch of more than 5,000 assignments is a job: the study is live when it is done."""
        found = ACTIONS[self.step](self.study, *([request.user] if self.step == "launch" else []))
        if isinstance(found, Job):
            raise ResultPending(found)
        return self.show(Study.objects.select_related("project").get(pk=self.study.pk))


class DrawnTextSerializer(serializers.Serializer):
    text_id = serializers.CharField()
    probability = serializers.FloatField(help_text="That the text is drawn for people, over all rounds.")
    doubt = serializers.FloatField(allow_null=True, help_text="The doubt of models; null if the draw ignores it.")
    drawn = serializers.BooleanField()
    round = serializers.IntegerField(required=False, help_text="The further round that drew it; absent: the first.")


class DrawnTextsSerializer(serializers.Serializer):
    results = DrawnTextSerializer(many=True)


class MoreTextsSerializer(serializers.Serializer):
    n = serializers.IntegerField(min_value=1, help_text="How many of the remaining texts.")


class PeopleTexts(StudyView):
    @operation("List the texts that were drawn for people", gives=DrawnTextsSerializer)
    def get(self, request: Request, study: str) -> Any:
        """In the order of the draw; for a draft as its launch would draw them; none if people do all texts."""
        return self.show({"results": find_draw(self.study) or []})

    @operation(
        "Draw more texts for people",
        scope=Scope.WRITE,
        role=Role.RESEARCHER,
        takes=MoreTextsSerializer,
        gives=DrawnTextsSerializer,
        status=201,
    )
    def post(self, request: Request, study: str) -> Any:
        """A further random round; its texts are given to the people at work."""
        given = self.read(MoreTextsSerializer)
        return self.show({"results": draw_more_texts(self.study, given["n"], request.user).texts}, status=201)


class AddTextsSerializer(serializers.Serializer):
    texts = serializers.ListField(child=serializers.CharField(max_length=200), min_length=1, max_length=10_000)
    finished_too = serializers.BooleanField(default=False, help_text="Also give them to people who have finished.")


class AddedTextsSerializer(serializers.Serializer):
    number = serializers.IntegerField(help_text="Of the block; the texts of the launch are block 1.")
    texts = serializers.IntegerField()
    units = serializers.IntegerField()
    assignments = serializers.IntegerField(help_text="Given to people who are at work.")


class StudyTexts(StudyView):
    @operation(
        "Add texts to a study that runs",
        scope=Scope.WRITE,
        role=Role.RESEARCHER,
        takes=AddTextsSerializer,
        gives=AddedTextsSerializer,
        status=201,
    )
    def post(self, request: Request, study: str) -> Any:
        """A new block with a plan of its own; the earlier plan stays as it is."""
        given = self.read(AddTextsSerializer)
        added = add_texts(self.study, given["texts"], finished_too=given["finished_too"], made_by=request.user)
        return self.show(added, status=201)


class AnnotatorSerializer(serializers.Serializer):
    """A person in a study with their progress, without link and answers."""

    id = serializers.IntegerField(source="pk")
    code = serializers.CharField()
    group = serializers.CharField()
    purpose = serializers.ChoiceField(Purpose.choices)
    state = serializers.SerializerMethodField()
    n_done = serializers.IntegerField(help_text="Assignments handed in.")
    n_open = serializers.IntegerField(help_text="Assignments left.")
    joined_at = serializers.DateTimeField(allow_null=True)

    def get_state(self, annotator: Annotator) -> str:
        """finished, begun, unseen or revoked"""
        return classify_annotator(annotator)


class AnnotatorsSerializer(serializers.Serializer):
    results = AnnotatorSerializer(many=True)


class NewAnnotatorsSerializer(serializers.Serializer):
    count = serializers.IntegerField(required=False, min_value=0, max_value=1000, help_text="How many, without codes.")
    people = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        max_length=1000,
        help_text="Your own codes of persons, one annotator each.",
    )
    group = serializers.CharField(required=False, max_length=100)


class LinkSerializer(serializers.Serializer):
    """The personal link of an annotator: anybody who has it can answer as this person."""

    id = serializers.IntegerField(source="pk")
    annotator = serializers.CharField(source="code")
    person = serializers.CharField()
    group = serializers.CharField()
    link = serializers.SerializerMethodField()

    def get_link(self, annotator: Annotator) -> str:
        return str(self.context["request"].build_absolute_uri(annotator.get_link()))


class LinksSerializer(serializers.Serializer):
    results = LinkSerializer(many=True)


class Annotators(StudyView):
    @operation("List annotators and how far they are", gives=AnnotatorsSerializer)
    def get(self, request: Request, study: str) -> Any:
        """The people on the People page; models are evaluators."""
        listed = [each for each in list_annotators(self.study) if each.purpose != Purpose.PREVIEW]
        return self.show({"results": listed})

    @operation(
        "Add annotators",
        scope=Scope.PEOPLE,
        role=Role.RESEARCHER,
        takes=NewAnnotatorsSerializer,
        gives=LinksSerializer,
        status=201,
    )
    def post(self, request: Request, study: str) -> Any:
        """To a launched study; each person gets a personal link."""
        given = self.read(NewAnnotatorsSerializer)
        codes = given.get("people", [])
        count = len(codes) + given.get("count", 0)
        if not count:
            raise Refused(_("Say how many annotators, or name their codes."))
        added = people.add_annotators(self.study, count, group=given.get("group", ""), people=codes)
        return self.show({"results": added}, status=201)


class Links(StudyView):
    @operation("List personal links", scope=Scope.PEOPLE, role=Role.RESEARCHER, gives=LinksSerializer)
    def get(self, request: Request, study: str) -> Any:
        """The working links of people of the main part."""
        listed = self.study.annotators.filter(kind=AnnotatorKind.HUMAN, purpose=Purpose.MAIN, revoked_at=None)
        return self.show({"results": [] if self.study.state == StudyState.IMPORTED else listed})


class ActOnLink(StudyView):
    """`step` is revoke or renew."""

    step = ""

    @operation("Revoke or renew a personal link", scope=Scope.PEOPLE, role=Role.RESEARCHER, gives=LinkSerializer)
    def post(self, request: Request, study: str, annotator: int) -> Any:
        """A revoked link stops working, the answers stay; a renewed one replaces the old one immediately."""
        found = get_object_or_404(self.study.annotators.filter(kind=AnnotatorKind.HUMAN), pk=annotator)
        {"revoke": people.revoke_link, "renew": people.renew_link}[self.step](found)
        found.refresh_from_db()
        return self.show(found)


class ResponsesFileSerializer(serializers.Serializer):
    file = serializers.FileField()
    mapping = serializers.CharField(
        required=False,
        max_length=20_000,
        help_text="Names of other columns, a line each: “annotator = Rater”, “stage: rate”, “question q1 = Clear?”.",
    )
    partial = serializers.BooleanField(default=False, help_text="Accept guesses of people who did not read.")
    dry_run = serializers.BooleanField(default=False, help_text="Check everything, store nothing.")


class ResponseCountsSerializer(serializers.Serializer):
    annotators = serializers.IntegerField()
    assignments = serializers.IntegerField()
    responses = serializers.IntegerField()
    notices = serializers.ListField(child=serializers.CharField())


class ImportResponses(FileView, StudyView):
    @operation(
        "Import finished judgments",
        scope=Scope.ANSWERS,
        role=Role.RESEARCHER,
        takes={"multipart/form-data": ResponsesFileSerializer},
        gives=ResponseCountsSerializer,
        status=201,
        may_wait=True,
    )
    def post(self, request: Request, study: str) -> Any:
        """CSV, JSONL, XLSX or Parquet into a draft, which becomes an imported study; all or nothing.

        Several files (the field `file` repeated) are imported together. Large ones are a job with this `result`.
        """
        given = self.read(ResponsesFileSerializer)
        sent = request.FILES.getlist("file")
        done = import_or_schedule(
            self.study,
            [AnswerFile(file.name, file.read()) for file in sent],
            request.user,
            mapping=parse_mapping(given.get("mapping", "")),
            partial=given["partial"],
            dry_run=given["dry_run"],
        )
        return self.show(done, JobSerializer, 202) if isinstance(done, Job) else self.show(asdict(done), status=201)
