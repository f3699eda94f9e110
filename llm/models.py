"""Endpoints, runs, their calls, and the workers that make them."""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from llm.addresses import is_in_process
from llm.answers import select_answer_tokens, strip_traces
from llm.request_options import MOST_TOKENS, OPTIONS, Effort, RequestOptions, check_extra, load_options

if TYPE_CHECKING:
    from projects.models import Project

NANOS = 1_000_000_000


class EndpointQuerySet(models.QuerySet):
    def available_to(self, project: "Project") -> "EndpointQuerySet":
        """The endpoints that a new run of the project may use."""
        return self.filter(Q(projects=None) | Q(projects=project), is_active=True).distinct()


class Endpoint(models.Model):
    """A model behind an OpenAI-compatible address, with its capabilities and prices."""

    name = models.CharField(_("name"), max_length=100, unique=True)
    base_url = models.CharField(_("base URL"), max_length=500)
    model = models.CharField(_("model"), max_length=200)
    encrypted_key = models.TextField(blank=True, editable=False)
    description = models.TextField(_("description"), blank=True)
    is_local = models.BooleanField(default=False, editable=False)

    price_in = models.DecimalField(
        _("price in"), max_digits=12, decimal_places=4, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    price_out = models.DecimalField(
        _("price out"), max_digits=12, decimal_places=4, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    currency = models.CharField(_("currency"), max_length=3, default="USD")
    max_concurrency = models.PositiveSmallIntegerField(
        _("calls at a time"), default=8, validators=[MinValueValidator(1), MaxValueValidator(512)]
    )
    requests_per_minute = models.PositiveIntegerField(
        _("requests per minute"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    tokens_per_minute = models.PositiveIntegerField(
        _("tokens per minute"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    timeout_seconds = models.PositiveSmallIntegerField(
        _("seconds to wait for a reply"), default=120, validators=[MinValueValidator(1), MaxValueValidator(3600)]
    )

    max_tokens = models.PositiveIntegerField(
        _("output tokens"), null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(MOST_TOKENS)]
    )
    reasoning_effort = models.CharField(_("reasoning effort"), max_length=10, blank=True, choices=Effort)
    extra = models.JSONField(_("extra parameters"), default=dict, blank=True, validators=[check_extra])
    """These three are part of every request, unless a run overrides them; see llm.request_options."""

    capabilities = models.JSONField(default=dict, editable=False)
    """Feature -> {"value": true, false or a name, "at": time of the finding}; missing features are unknown."""
    blocked_until = models.DateTimeField(null=True, editable=False)
    limited_since = models.DateTimeField(null=True, editable=False)
    """The first "too many requests" after the last success."""
    concurrency_now = models.PositiveSmallIntegerField(null=True, editable=False)
    """Parallel calls that the server was found to accept, over all drainers; null: as many as the limit."""
    requests_paid_until = models.DateTimeField(null=True, editable=False)
    tokens_paid_until = models.DateTimeField(null=True, editable=False)
    """Until when the requests and tokens sent so far use up the limits per minute; see services/pace."""

    test_requested_at = models.DateTimeField(null=True, editable=False)
    tested_at = models.DateTimeField(null=True, editable=False)
    test_ok = models.BooleanField(null=True, editable=False)
    test_problem = models.CharField(max_length=40, blank=True, editable=False)
    test_reply = models.TextField(blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    is_active = models.BooleanField(_("offered for new runs"), default=True)
    projects = models.ManyToManyField(
        "projects.Project", verbose_name=_("projects"), blank=True, related_name="endpoints"
    )
    """The projects whose runs may use it; empty means all."""

    objects = EndpointQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self):
        return self.name

    def get_absolute_url(self):
        return reverse("endpoint", args=[self.pk])

    @property
    def as_offered(self) -> str:
        """Its label where it is chosen for a run; for the local model with its intended use."""
        if not self.is_local:
            return self.name
        return gettext("%(name)s: very small, comes with Lesart for trying the workbench out") % {"name": self.name}

    @property
    def has_key(self) -> bool:
        return bool(self.encrypted_key)

    @property
    def is_in_process(self) -> bool:
        """Whether workers run the model themselves."""
        return is_in_process(self.base_url)

    @property
    def has_price(self) -> bool:
        return self.price_in is not None and self.price_out is not None

    @property
    def is_free(self) -> bool:
        return self.has_price and not (self.price_in or self.price_out)

    @property
    def is_blocked(self) -> bool:
        return self.blocked_until is not None and self.blocked_until > timezone.now()

    @property
    def waits_for_test(self) -> bool:
        if self.test_requested_at is None:
            return False
        return self.tested_at is None or self.tested_at < self.test_requested_at

    @property
    def options(self) -> RequestOptions:
        return RequestOptions(self.max_tokens, self.reasoning_effort, self.extra)

    def can(self, feature: str):
        """The finding about the feature; None while unknown."""
        return self.capabilities.get(feature, {}).get("value")


class RunState(models.TextChoices):
    PLANNING = "planning", _("planning")
    RUNNING = "running", _("running")
    PAUSED = "paused", _("paused")
    DONE = "done", _("done")
    CANCELLED = "cancelled", _("cancelled")
    FAILED = "failed", _("stopped")


class Unknown(models.TextChoices):
    """How to treat a call that was in flight when its worker died."""

    REPEAT = "repeat", _("send it again and count the first as billed")
    HOLD = "hold", _("hold it until I decide")


class RunQuerySet(models.QuerySet):
    def active(self) -> "RunQuerySet":
        return self.filter(state__in=[RunState.PLANNING, RunState.RUNNING])


class Run(models.Model):
    """One execution of a plan of calls against an endpoint; the subjects of the calls are opaque here."""

    project = models.ForeignKey("projects.Project", models.CASCADE, related_name="runs")
    kind = models.CharField(max_length=40)
    label = models.CharField(max_length=200)
    endpoint = models.ForeignKey("llm.Endpoint", models.PROTECT, related_name="runs")
    model = models.CharField(max_length=200)
    """The endpoint's model at the start of the run; a run never mixes two models."""
    params = models.JSONField(default=dict)
    scope = models.CharField(max_length=200, blank=True)
    """The owner of the run, defined by its kind; opaque here."""

    state = models.CharField(max_length=12, choices=RunState, default=RunState.PLANNING)
    reason = models.TextField(blank=True)
    """Why it is paused or stopped: a name in failures.REMEDIES, or a sentence."""
    is_planned = models.BooleanField(default=False)
    on_unknown = models.CharField(max_length=10, choices=Unknown, default=Unknown.REPEAT)
    is_recorded = models.BooleanField(default=False)
    """Its replies were recorded earlier and imported; no model was asked here."""
    keeps_going = models.BooleanField(default=False)
    """Somebody decided that it continues although its first replies are all unusable."""
    next_position = models.PositiveIntegerField(default=0)
    """All calls before this position were leased at least once: the queue is read from here."""

    budget_nanos = models.BigIntegerField(null=True)
    spent_nanos = models.BigIntegerField(default=0)
    """The sum over the calls, kept up to date in the same transactions, because the budget is checked before every
    call."""

    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [models.Index(fields=["project", "kind", "scope"], name="runs_of_a_door")]

    def __str__(self):
        return self.label

    def get_absolute_url(self):
        return reverse("run", args=[self.pk])

    @property
    def options(self) -> RequestOptions:
        """The options of its requests besides the prompts of the run kind."""
        return load_options(self.params.get(OPTIONS))

    @property
    def is_active(self) -> bool:
        return self.state in (RunState.PLANNING, RunState.RUNNING)

    @property
    def is_over(self) -> bool:
        return self.state in (RunState.DONE, RunState.CANCELLED, RunState.FAILED)


class CallState(models.TextChoices):
    PLANNED = "planned", _("planned")
    LEASED = "leased", _("queued")
    SENT = "sent", _("sent, no reply yet")
    WAITING = "waiting", _("waiting to retry")
    HELD = "held", _("held, outcome unknown")
    REPLIED = "replied", _("replied, not yet read")
    ANSWERED = "answered", _("answered")
    CACHED = "cached", _("from cache")
    REJECTED = "rejected", _("rejected, asked again")
    REFUSED = "refused", _("refused by the model")
    FAILED = "failed", _("failed")


OPEN = [CallState.PLANNED, CallState.LEASED, CallState.SENT, CallState.WAITING, CallState.HELD, CallState.REPLIED]
GOOD = [CallState.ANSWERED, CallState.CACHED]
MISSING = [CallState.REFUSED, CallState.FAILED]


class CallQuerySet(models.QuerySet):
    def open(self) -> "CallQuerySet":
        return self.filter(state__in=OPEN)

    def good(self) -> "CallQuerySet":
        return self.filter(state__in=GOOD)

    def missing(self) -> "CallQuerySet":
        return self.filter(state__in=MISSING)

    def with_stored_answer(self) -> "CallQuerySet":
        """Calls whose reply may be reused for another call of the same content."""
        states = [CallState.REPLIED, CallState.ANSWERED, CallState.REFUSED]
        kept = ["parse", "cut", "unusable", "reading"]
        parsed_badly = Q(state__in=[CallState.FAILED, CallState.REJECTED], error_class__in=kept, text__isnull=False)
        return self.filter(Q(state__in=states) | parsed_badly, copied_from=None)


class Call(models.Model):
    """One question to a model: what was sent, what came back, what it cost. Stored before it is sent, and before it is
    parsed."""

    run = models.ForeignKey("llm.Run", models.CASCADE, related_name="calls", db_index=False)  # see the indexes below
    key = models.CharField(max_length=200)
    sample = models.PositiveIntegerField(default=0)
    turn = models.PositiveSmallIntegerField(default=0)
    """0 as planned; a follow-up (reprompt, longer limit) is a separate row, so that no reply is overwritten."""
    follows = models.ForeignKey("self", models.SET_NULL, null=True, related_name="followed_by", db_index=False)
    position = models.PositiveIntegerField()
    prompt_hash = models.CharField(max_length=40, blank=True)
    content_key = models.CharField(max_length=40, blank=True)
    adjust = models.JSONField(default=dict)
    """Changes to the request of a follow-up: a longer token limit, and whether it repeats the earlier prompt."""

    state = models.CharField(max_length=10, choices=CallState, default=CallState.PLANNED)
    lease_owner = models.CharField(max_length=40, blank=True)
    due_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    times_sent = models.PositiveSmallIntegerField(default=0)
    times_lost = models.PositiveSmallIntegerField(default=0)
    reserved_nanos = models.BigIntegerField(default=0)
    copied_from = models.ForeignKey("self", models.SET_NULL, null=True, related_name="copies", db_index=False)

    messages = models.JSONField(null=True)
    params = models.JSONField(null=True)
    raw_reply = models.TextField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    text = models.TextField(null=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    returned_model = models.CharField(max_length=200, blank=True)
    logprobs = models.JSONField(null=True)
    """Per token [token, log-probability, [[token, log-probability], …]]."""
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    cost_nanos = models.BigIntegerField(default=0)
    """Billionths of the endpoint's currency; 0 without a price."""
    parsed = models.JSONField(null=True)
    """The run kind's description of the reply, for people; the run kind stores the answer itself."""
    error_class = models.CharField(max_length=20, blank=True)
    error = models.TextField(blank=True)
    sent_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    seconds = models.FloatField(null=True)

    objects = CallQuerySet.as_manager()

    class Meta:
        ordering = ["position", "sample", "turn"]
        constraints = [
            models.UniqueConstraint(fields=["run", "key", "sample", "turn"], name="one_call_per_run_key_sample_turn")
        ]
        indexes = [
            models.Index(fields=["run", "position"], name="calls_in_order"),
            models.Index(fields=["run", "state", "position"], name="calls_by_state"),
            models.Index(fields=["content_key"], name="calls_of_a_content"),  # SQLite would not use a partial one
            models.Index(fields=["follows"], name="calls_that_follow", condition=Q(follows__isnull=False)),
            models.Index(fields=["copied_from"], name="calls_copied", condition=Q(copied_from__isnull=False)),
            models.Index(fields=["run", "finished_at"], name="calls_just_done", condition=Q(finished_at__isnull=False)),
        ]

    def __str__(self):
        return f"{self.key} #{self.sample}" + (f".{self.turn}" if self.turn else "")

    def get_absolute_url(self):
        return reverse("call", args=[self.run_id, self.pk])

    @property
    def answer(self) -> str:
        """The text of the reply without reasoning traces, which is what is parsed. The whole text is stored."""
        return strip_traces(self.text or "")

    @property
    def answer_logprobs(self) -> list[Any] | None:
        """The log-probabilities of the answer's tokens."""
        return select_answer_tokens(self.logprobs, self.text or "")


class DrainerQuerySet(models.QuerySet):
    def live(self) -> "DrainerQuerySet":
        return self.filter(expires_at__gt=timezone.now())

    def dead(self) -> "DrainerQuerySet":
        return self.filter(expires_at__lte=timezone.now())


class Drainer(models.Model):
    """A process that works on a run. Its calls are leased as long as it renews this one row."""

    name = models.CharField(max_length=40, unique=True)
    run = models.ForeignKey("llm.Run", models.CASCADE, related_name="drainers")
    started_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    objects = DrainerQuerySet.as_manager()

    def __str__(self):
        return self.name


class Sweep(models.Model):
    """When runs were last maintained; the worker that updates the time does the work."""

    swept_at = models.DateTimeField()

    def __str__(self):
        return f"{self.swept_at:%Y-%m-%d %H:%M:%S}"
