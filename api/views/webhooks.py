"""Webhooks of a project."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.request import Request

from api.models import Scope
from api.services.webhooks import create_webhook
from api.views.base import ProjectView, operation
from jobs.kinds import EVENTS
from projects.models import Role


class WebhookSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="pk")
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.ChoiceField(EVENTS))
    created_at = serializers.DateTimeField()


class NewWebhookSerializer(serializers.Serializer):
    url = serializers.CharField(max_length=500)
    events = serializers.ListField(child=serializers.ChoiceField(EVENTS), allow_empty=False)


class CreatedWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(help_text="Verifies the signature of deliveries. Shown once.")


class Webhooks(ProjectView):
    @operation("List webhooks", role=Role.RESEARCHER, gives=WebhookSerializer, paged=True)
    def get(self, request: Request, project: str) -> Any:
        return self.page(self.project.webhooks.all())

    @operation(
        "Add a webhook",
        scope=Scope.WRITE,
        role=Role.RESEARCHER,
        takes=NewWebhookSerializer,
        gives=CreatedWebhookSerializer,
        status=201,
    )
    def post(self, request: Request, project: str) -> Any:
        """An outside address that gets a signed POST when a job or a run has ended or a study was closed."""
        given = self.read(NewWebhookSerializer)
        webhook, secret = create_webhook(self.project, given["url"], given["events"], request.user)
        return self.show(vars(webhook) | {"pk": webhook.pk, "secret": secret}, status=201)


class OneWebhook(ProjectView):
    @operation("Delete a webhook", scope=Scope.WRITE, role=Role.RESEARCHER, status=204)
    def delete(self, request: Request, project: str, webhook: int) -> HttpResponse:
        get_object_or_404(self.project.webhooks, pk=webhook).delete()
        return HttpResponse(status=204)
