"""The floor of bench/annotators.py: one bare Django view with a session and a CSRF token, on Lesart's database.

It reads the session, counts one up, stores it and shows a form. Nothing of Lesart is imported but its settings of the
database.
"""

import os
from pathlib import Path

from django.conf import settings

from config import env

FILE = Path(os.environ["LESART_DATA"]) / "lesart.sqlite3"
DATABASE = env.read_database("DATABASE_URL", f"sqlite:///{FILE}")
if DATABASE["ENGINE"] == env.SQLITE:
    pragmas = "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;"
    DATABASE |= {
        "ENGINE": "django.db.backends.sqlite3",
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "init_command": pragmas},
    }
else:
    DATABASE["CONN_MAX_AGE"] = 60
PAGE = '<form method="post">{% csrf_token %}<p>{{ n }}</p><button>Count</button></form>'
settings.configure(
    SECRET_KEY="floor",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": DATABASE},
    INSTALLED_APPS=["django.contrib.sessions"],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware"],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {"loaders": [("django.template.loaders.locmem.Loader", {"page.html": PAGE})]},
        }
    ],
)

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.shortcuts import render  # noqa: E402
from django.urls import path  # noqa: E402


def count(request):
    n = request.session["n"] = request.session.get("n", 0) + (request.method == "POST")
    return render(request, "page.html", {"n": n})


urlpatterns = [path("", count)]
application = get_wsgi_application()
