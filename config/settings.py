"""Everything a deployment may change, read from the environment; docs/settings.md lists the variables."""

import os
from pathlib import Path

# With several processes, threads of small matrix products wait for each other longer than they compute. numpy reads
# this when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from csp.constants import NONE, SELF
from django.conf.locale import LANG_INFO
from django.utils.translation import gettext_lazy as _

from config import env, static_build

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.read_text("LESART_DATA", str(BASE_DIR / "data"))).expanduser().resolve()

DEBUG = env.read_flag("DEBUG")
SECRET_KEY = env.read_secret("SECRET_KEY", DATA_DIR / "secret_key")
SECRET_KEY_FALLBACKS = env.read_list("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = env.read_hosts("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env.read_origins("LESART_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "config",
    "api",
    "analysis",
    "annotation",
    "evaluation",
    "generation",
    "studies",
    "items",
    "llm",
    "jobs",
    "projects",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.forms",
    "allauth",
    "allauth.account",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "config.middleware.RequestMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.static_files.StaticFilesMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            # Not an app: as one it would be imported by every command, together with psycopg.
            "libraries": {"django_tables2": "django_tables2.templatetags.django_tables2"},
        },
    }
]
FORM_RENDERER = "config.forms.PageRenderer"
DJANGO_TABLES2_TEMPLATE = "parts/table.html"

# Database -------------------------------------------------------------------------------------------------------------

SQLITE_URL = f"sqlite:///{DATA_DIR / 'lesart.sqlite3'}"
DATABASES = {"default": env.read_database("DATABASE_URL", SQLITE_URL)}
if DATABASES["default"]["ENGINE"] == env.SQLITE:
    # Opening a file takes longer than most requests read from it.
    DATABASES["default"]["CONN_MAX_AGE"] = None
    DATABASES["default"]["OPTIONS"] = {
        # On SQLite, transactions that read and then write fail unless they take the write lock at the beginning.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;"
        "PRAGMA busy_timeout=20000;PRAGMA foreign_keys=ON;PRAGMA secure_delete=ON;",
    }
else:
    DATABASES["default"]["ENGINE"] = "config.postgresql"
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    # An unreachable server is noticed within seconds: while connecting, and when the network stops responding.
    DATABASES["default"].setdefault("OPTIONS", {}).update(
        prepare_threshold=0,
        connect_timeout=2,
        tcp_user_timeout=10_000,
        keepalives_idle=10,
        keepalives_interval=5,
        keepalives_count=3,
    )
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# People ---------------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "projects.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
ACCOUNT_ADAPTER = "projects.signup.InvitedOnlyAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_PREVENT_ENUMERATION = True
# Sign-in attempts are limited by address; behind a proxy the browser's address is in X-Forwarded-For.
ALLAUTH_TRUSTED_PROXY_COUNT = env.read_integer("LESART_PROXIES", 0)
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "project_list"
MAIL_SERVER = env.read_mail_server("LESART_SMTP_URL")
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if MAIL_SERVER else 'dummy'}.EmailBackend"
EMAIL_HOST, EMAIL_PORT = MAIL_SERVER.get("HOST", ""), MAIL_SERVER.get("PORT", 25)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL_SERVER.get("HOST_USER", ""), MAIL_SERVER.get("HOST_PASSWORD", "")
EMAIL_USE_TLS, EMAIL_USE_SSL = MAIL_SERVER.get("USE_TLS", False), MAIL_SERVER.get("USE_SSL", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.read_text("LESART_MAIL_FROM", "lesart@localhost")
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.read_flag("LESART_HTTPS")
if env.read_flag("LESART_HTTPS"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = env.read_integer("LESART_HSTS_SECONDS", 0)  # sent only over HTTPS

# Sign-in limits count in the database, so that they hold across processes and survive a restart of the broker.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "lesart_cache",
        "OPTIONS": {"MAX_ENTRIES": 2_000},  # results of all studies, choices and languages viewed within a day
    }
}

# Pages ----------------------------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("de", _("German")), ("eu", _("Basque"))]
LANG_INFO["eu"]["name_local"] = "Euskara"  # Django has the English name here
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["config.formats"]
USE_TZ = True
TIME_ZONE = env.read_time_zone("LESART_TIME_ZONE", "UTC")

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static", static_build.API_PAGES]
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
IS_BUILT = static_build.is_built()
STATIC_ROOT = static_build.BUILT if IS_BUILT else None  # whitenoise warns about a missing folder
WHITENOISE_USE_FINDERS = not IS_BUILT
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": static_build.STORAGE if IS_BUILT else static_build.PLAIN_STORAGE},
}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

FILE_UPLOAD_HANDLERS = [
    "items.files.BoundedUpload",  # cuts off the rest above the limit while it arrives
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# A page of ratings has more fields than Django's default of 1,000 allows.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
DATA_UPLOAD_MAX_MEMORY_SIZE = 5_000_000
DATA_UPLOAD_MAX_NUMBER_FILES = 1_000

# The API --------------------------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["api.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["api.authentication.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": ["api.authentication.PerMinute"],
    "DEFAULT_PARSER_CLASSES": ["api.parsing.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "api.parsing.AlwaysJSON",
    "DEFAULT_SCHEMA_CLASS": "api.schema.Schema",
    "EXCEPTION_HANDLER": "api.problems.handle_exception",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "Lesart",
    "VERSION": "1",
    "DESCRIPTION": "Everything that a page of Lesart does, for programs. docs/api.md walks through a whole study.",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "defaultModelsExpandDepth": 0},
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
    "ENUM_NAME_OVERRIDES": {
        "StudyState": "studies.models.StudyState",
        "RunState": "llm.models.RunState",
        "JobState": "jobs.models.JobState",
    },
    "SERVE_INCLUDE_SCHEMA": False,
}

# Work in the background -----------------------------------------------------------------------------------------------

MESSAGE_APPLICATION = "config.celery.app"  # read by jobs.scheduling, which may not import config
CELERY_BROKER_URL = env.read_text("REDIS_URL", "redis://127.0.0.1:6379/0")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "socket_timeout": 10,
    "socket_connect_timeout": 3,
    # A request that sends a message must not wait for an unreachable broker: the sweep sends it later.
    "max_retries": 1,
    "interval_start": 0,
}
# Runs have the lowest priority (Redis: 0 is first): somebody waits at a page for all other work.
CELERY_TASK_ROUTES = {"llm.tasks.drain": {"priority": 9}}
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# Lesart ---------------------------------------------------------------------------------------------------------------

LESART = {
    "PAGE_UPLOAD_BYTES": env.read_integer("LESART_PAGE_UPLOAD_MB", 25) * 1_000_000,
    "COMMAND_UPLOAD_BYTES": env.read_integer("LESART_COMMAND_UPLOAD_MB", 500) * 1_000_000,
    "SENDS_MAIL": bool(MAIL_SERVER),
    # Up to this many answers, results are computed while the browser waits: about a second.
    "RESULTS_AT_ONCE": env.read_integer("LESART_RESULTS_AT_ONCE", 20_000),
    # How many requests a token may make in a minute.
    "API_PER_MINUTE": env.read_integer("LESART_API_PER_MINUTE", 600),
}
# Files of jobs: results, exports and packs, until they expire. Web server and workers share them.
JOB_FOLDER = DATA_DIR / "jobs"
# Inside addresses that model endpoints may use, as host:port or host, such as 127.0.0.1:11434.
LESART_INSIDE_HOSTS = env.read_hosts("LESART_INSIDE_HOSTS")
# Models that workers run themselves: the folders in which they may be, names that may be downloaded, and the number of
# threads for computing.
LESART_MODEL_FOLDERS = env.read_list("LESART_MODEL_FOLDERS", str(DATA_DIR / "models"))
LESART_HUB_MODELS = env.read_list("LESART_HUB_MODELS")
LESART_TORCH_THREADS = max(1, env.read_integer("LESART_TORCH_THREADS", (os.cpu_count() or 1) // 2))
# The folder of WordNet 3.0's files, which METEOR needs; without them METEOR is not computed.
LESART_WORDNET = env.read_text("LESART_WORDNET", "/usr/share/wordnet")
# A context manager that starts the small local model for a command if nothing else runs it.
LESART_LOCAL_MODEL = "config.cli.model.run_model"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "config.logs.TextFormatter"},
        "json": {"()": "config.logs.JsonLineFormatter"},
    },
    "filters": {
        "request_id": {"()": "config.logs.AddRequestId"},
        "outages": {"()": "config.logs.SummarizeOutages"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": env.read_choice("LESART_LOG_FORMAT", ("text", "json")),
            "filters": ["request_id", "outages"],
        }
    },
    "loggers": {"celery": {"level": "WARNING"}},
    "root": {
        "handlers": ["console"],
        "level": env.read_choice("LESART_LOG_LEVEL", ("INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL")),
    },
}
