from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.account.urls")),
    path("language/", include("django.conf.urls.i18n")),
    path("", include("projects.urls")),
    path("", include("items.urls")),
    path("", include("studies.urls")),
    path("", include("annotation.urls")),
    path("", include("analysis.urls")),
]
