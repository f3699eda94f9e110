from typing import TYPE_CHECKING

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from llm.addresses import is_in_process
from llm.request_options import MOST_TOKENS, Effort, RequestOptions, check_extra

if TYPE_CHECKING:
    from projects.models import Project


class EndpointQuerySet(models.QuerySet):
    def available_to(self, project: "Project") -> "EndpointQuerySet":
        """Those that a new run of the project may ask."""
        return self.filter(Q(projects=None) | Q(projects=project), is_active=True).distinct()


class Endpoint(models.Model):
    """A model behind an OpenAI-compatible address, what it can do and what it costs."""

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
    """These three go into every request, unless a run says otherwise; see llm.request_options."""

    capabilities = models.JSONField(default=dict, editable=False)
    """Feature -> {"value": true, false or a name, "at": when it was found out}; what is absent is unknown."""
    blocked_until = models.DateTimeField(null=True, editable=False)
    limited_since = models.DateTimeField(null=True, editable=False)
    """The first "too many requests" after the last success."""
    concurrency_now = models.PositiveSmallIntegerField(null=True, editable=False)
    """Parallel calls that the server was found to accept, over all drainers; null: as many as allowed."""
    requests_paid_until = models.DateTimeField(null=True, editable=False)
    tokens_paid_until = models.DateTimeField(null=True, editable=False)
    """How far into the future the requests and tokens sent so far use up what a minute allows; see services/pace."""

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
    """Whose runs may ask it; none means all."""

    objects = EndpointQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self):
        return self.name

    def get_absolute_url(self):
        return reverse("endpoint", args=[self.pk])

    @property
    def as_offered(self) -> str:
        """Its name where one is chosen for a run; of the local model also what it is good for."""
        if not self.is_local:
            return self.name
        return gettext("%(name)s: very small, comes with Lesart for trying the workbench out") % {"name": self.name}

    @property
    def has_key(self) -> bool:
        return bool(self.encrypted_key)

    @property
    def is_in_process(self) -> bool:
        """Whether workers answer its calls themselves."""
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
        """What was found out about the feature; None while unknown."""
        return self.capabilities.get(feature, {}).get("value")
