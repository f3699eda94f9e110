from django.urls import include, path

from config.health import health

urlpatterns = [
    path("accounts/", include("allauth.account.urls")),
    path("language/", include("django.conf.urls.i18n")),
    path("health/", health, name="health"),
    path("", include("projects.urls")),
    path("", include("items.urls")),
    path("", include("llm.urls")),
    path("", include("studies.urls")),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
    path("", include("generation.urls")),
    path("", include("analysis.urls")),
]
