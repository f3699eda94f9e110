from allauth.account import views as account_views
from django.urls import include, path

from config.views import health, show_choosing, show_glossary
from jobs.views import job_page
from projects.views import require_mail

handler500 = "config.views.handle_error"
urlpatterns = [
    path("", include("annotation.urls")),  # first, as most requests are for them
    path("accounts/password/reset/", require_mail(account_views.password_reset)),
    path("accounts/email/", require_mail(account_views.email)),
    path("accounts/confirm-email/", require_mail(account_views.email_verification_sent)),
    path("accounts/", include("allauth.account.urls")),
    path("language/", include("django.conf.urls.i18n")),
    path("health/", health, name="health"),
    path("glossary/", show_glossary, name="glossary"),
    path("choosing/", show_choosing, name="choosing"),
    path("", include("projects.urls")),
    path("jobs/<int:pk>/", job_page, name="job"),
    path("", include("items.urls")),
    path("", include("llm.urls")),
    path("", include("studies.urls")),
    path("", include("evaluation.urls")),
    path("", include("generation.urls")),
    path("", include("analysis.urls")),
    path("", include("api.urls")),
]
