"""Shapes of replies that any address may return."""

from typing import Any

from rest_framework import serializers

from jobs.kinds import KINDS
from jobs.models import Job, JobState
from jobs.views import describe_step
from jobs.workers import has_live_workers


class ColumnSerializer(serializers.Serializer):
    """A column of a table of items, and the field that it was read as: recognized by its name, or mapped."""

    name = serializers.CharField()
    field = serializers.CharField()


class JobSerializer(serializers.Serializer):
    """Work that outlasts a request."""

    id = serializers.IntegerField(source="pk")
    kind = serializers.CharField()
    title = serializers.SerializerMethodField()
    project = serializers.CharField(source="project.slug", allow_null=True, default=None)
    state = serializers.ChoiceField(JobState.choices)
    step = serializers.SerializerMethodField(help_text="What is being done, in words.")
    done = serializers.IntegerField(help_text="Parts of the step that are done.")
    total = serializers.IntegerField(help_text="Parts of the step; 0 if unknown.")
    error = serializers.CharField(help_text="Why it failed; empty if it did not.")
    errors = serializers.ListField(
        child=serializers.DictField(), help_text="What is wrong with a file, by line, field and reason: the first 200."
    )
    has_worker = serializers.SerializerMethodField(help_text="False: no worker is running, so that it waits.")
    result = serializers.SerializerMethodField(help_text="The outcome, such as the reply of an import.")
    queued_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    def get_title(self, job: Job) -> str:
        return str(KINDS[job.kind].title)

    def get_step(self, job: Job) -> str:
        return describe_step(job) if job.is_open else ""

    def get_result(self, job: Job) -> dict[str, Any] | None:
        return job.about.get("result") if job.is_done else None

    def get_has_worker(self, job: Job) -> bool:
        return has_live_workers()
