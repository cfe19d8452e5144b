"""Every setting, read from the environment; nothing is started here."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import postgres
from config.data_folder import RESOURCES, data_folder
from judging.base import limits

HOME = data_folder()
DOCS = RESOURCES / "docs"  # of which pages show pieces as help
SHORTEST_SECRET = 32
OLD_SECRETS = "secret_key_old.txt"


def _secret(name: str) -> str:
    """Return the key from the environment, or from an owner-only file that is created once."""
    if value := os.environ.get(f"QUAESTOR_{name.upper()}"):
        if len(value) < SHORTEST_SECRET or "CHANGE" in value.upper():
            raise ImproperlyConfigured(
                f"QUAESTOR_{name.upper()} must be a random text of {SHORTEST_SECRET} characters or more, made for this "
                'site alone: python3 -c "import secrets; print(secrets.token_urlsafe(48))"'
            )
        return value
    path = HOME / f"{name}.txt"
    HOME.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        new = HOME / f"{name}.{os.getpid()}"
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(48))
        with suppress(FileExistsError):  # another process was first; half a key is never read
            os.link(new, path)
        new.unlink()
    return path.read_text()


def _old_secrets() -> list[str]:
    """Return the earlier keys, whose links and sessions are still valid."""
    if told := os.environ.get("QUAESTOR_SECRET_KEY_FALLBACKS"):
        return told.split()
    path = HOME / OLD_SECRETS
    return path.read_text().split() if path.exists() else []


# A client that waits for a server behind a cut cable fails after some ten seconds, not after hours.
REACH = {
    "connect_timeout": 5,  # seconds
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # milliseconds
}


def _folders(name: str) -> dict[str, str]:
    """Return the absolute folders of a variable that is written as NAME=FOLDER[,NAME=FOLDER]."""
    pairs = [pair.strip().partition("=") for pair in os.environ.get(name, "").split(",") if pair]
    if wrong := [
        label for label, _, folder in pairs if not label or not Path(folder).is_absolute()
    ]:
        raise ImproperlyConfigured(f"{name}: {wrong[0]!r} names no absolute folder: NAME=/FOLDER.")
    return {label: folder for label, _, folder in pairs}


def _database(url: str) -> dict[str, object]:
    """Return Django's database settings for a postgresql:// address."""
    parts = urlsplit(url)
    options: dict[str, object] = dict(parse_qsl(parts.query))
    host = options.pop("host", "") or parts.hostname or ""
    if host and not str(host).startswith("/"):
        options = REACH | options
    return {
        "ENGINE": "config.database",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": options.pop("port", "") or parts.port or "",
        "OPTIONS": options,
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


SERVER_ROLE = os.environ.get("QUAESTOR_SERVER_ROLE") or "quaestor_server"
SECRET_KEY = _secret("secret_key")
SECRET_KEY_FALLBACKS = _old_secrets()
PSEUDONYM_KEY = _secret("pseudonym_key")
# who must have one: administrators or all users
SECOND_FACTOR = os.environ.get("QUAESTOR_SECOND_FACTOR", "")
if SECOND_FACTOR not in ("", "administrators", "everybody"):
    raise ImproperlyConfigured("QUAESTOR_SECOND_FACTOR is administrators, everybody, or unset.")
DEBUG = os.environ.get("QUAESTOR_DEBUG", "") == "1"
ALLOWED_HOSTS = os.environ.get("QUAESTOR_HOSTS", "127.0.0.1 localhost [::1]").split()
CSRF_TRUSTED_ORIGINS = os.environ.get("QUAESTOR_ORIGINS", "").split()
HTTPS = bool(CSRF_TRUSTED_ORIGINS) and all(
    origin.startswith("https://") for origin in CSRF_TRUSTED_ORIGINS
)
# the last X-Forwarded-For is set by the proxy
BEHIND_PROXY = os.environ.get("QUAESTOR_BEHIND_PROXY", "") == "1"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# not for subdomains, which may belong to others
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365 if HTTPS else 0
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
# No address leaks to other sites; with "no-referrer" browsers would send no Origin to check
SECURE_REFERRER_POLICY = "same-origin"
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # HSTS does not cover subdomains
    "security.W021",  # nor a browser's preload list
    "security.W008",  # the proxy redirects to https
]
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 14
# after which a researcher has to log in again
IDLE_MINUTES = int(os.environ.get("QUAESTOR_IDLE_MINUTES", "120"))
# Whether webhooks may go to addresses of the server's own network, and by plain HTTP
PRIVATE_WEBHOOKS = os.environ.get("QUAESTOR_PRIVATE_WEBHOOKS", "") == "1"

INSTALLED_APPS = [
    "config",
    "judging",
    "annotation",
    "analysis",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "csp",
]
MIDDLEWARE = [
    "config.requests.Requests",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "config.languages.Language",
    "config.requests.LastSlash",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.visits.Visits",
    "config.bodies.Bodies",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.verbs.Verbs",
]
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
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [RESOURCES / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {"default": _database(os.environ.get("DATABASE_URL") or postgres.url(HOME))}
# The address of the PostgreSQL server itself, if DATABASE_URL leads to a connection pooler
DIRECT_DATABASE = (
    _database(os.environ["QUAESTOR_DIRECT_DATABASE_URL"])
    if os.environ.get("QUAESTOR_DIRECT_DATABASE_URL")
    else {}
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "judging.User"
SESSION_ENGINE = "config.sessions"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "judging:home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [RESOURCES / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = HOME / "static"
STATICFILES_DIRS = [RESOURCES / "static"]
STORAGES = {
    "default": {"BACKEND": "judging.jobs.storage.DatabaseStorage"},
    "staticfiles": {"BACKEND": "config.static_files.StaticFiles"},
}
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000  # one page can hold many units with many criteria
UPLOAD_LIMIT = limits.MAX_UPLOAD_BYTES

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        # first, so that unknown clients get 401 with how to log in
        "judging.people.actions.tokens.ApiTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "judging.people.api.scopes.HasScope",
    ],
    "DEFAULT_METADATA_CLASS": None,  # OPTIONS would answer before access to the object is checked
    "DEFAULT_PARSER_CLASSES": ["config.bodies.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_PAGINATION_CLASS": "judging.base.api.pages.Pages",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_SCHEMA_CLASS": "judging.jobs.api.schema.Schema",
    "DEFAULT_THROTTLE_CLASSES": ["judging.base.api.rate_limits.RateLimit"],
    "EXCEPTION_HANDLER": "judging.base.api.problems.problem",
    "NUM_PROXIES": 1,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Quaestor",
    "DESCRIPTION": "Everything that a page of Quaestor can do, for programs. Within version 1 "
    "operations and fields are added; none is renamed or removed, and a code keeps its meaning.",
    "VERSION": "1",
    "LICENSE": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    "SERVERS": [
        {
            "url": "{site}",
            "description": "Your server.",
            "variables": {"site": {"default": "http://127.0.0.1:8000"}},
        }
    ],
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "JobState": "judging.jobs.models.job.Job.State",
        "FileState": "judging.datasets.models.added_file.AddedFile.State",
        "CampaignState": "judging.campaigns.models.campaign.Campaign.State",
        "AssignmentState": "judging.campaigns.models.assignment.Assignment.State",
        "SystemKind": "judging.datasets.models.dataset.System.Kind",
        "ExerciseKind": "judging.quality.models.exercise.Exercise.Kind",
        "ExitQuestionKind": "judging.enrolments.models.exit_form.ExitQuestion.Kind",
        "View": "judging.base.models.conditions.PageView",
        "ViewOrBlank": ["", "focus", "list"],
        "CrowdPlatformKind": "judging.crowd.models.crowd.CrowdPlatform.Kind",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.openapi.complete_document",
    ],
}

CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL", "")  # empty: workers listen to the database
JOB_SECONDS = int(os.environ.get("QUAESTOR_JOB_SECONDS", limits.MAX_JOB_SECONDS))  # 0: no limit
LOG_FORMAT = "json" if os.environ.get("QUAESTOR_LOG_FORMAT", "") == "json" else "line"
# of public keys
CROWD_ORIGINS = os.environ.get("QUAESTOR_CROWD_ORIGINS", "https://api.prolific.com").lower().split()
JUDGE_ADDRESSES = os.environ.get("QUAESTOR_JUDGE_ADDRESSES", "").split()  # empty: none is called
METRICS_TOKEN = os.environ.get("QUAESTOR_METRICS_TOKEN", "")  # empty: /metrics/ does not exist
METRIC_MODELS = _folders("QUAESTOR_METRIC_MODELS")  # transformers of BERTScore and MoverScore
QA_MODELS = _folders("QUAESTOR_QA_MODELS")  # transformers that answer questions
METRIC_DEVICE = os.environ.get("QUAESTOR_METRIC_DEVICE", "cpu")  # as torch names it, such as cuda
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name} [{request_id}]: {message}", "style": "{"},
        "json": {"()": "config.logs.Json"},
    },
    "filters": {
        "without_links": {"()": "config.logs.WithoutLinks"},
        "with_request": {"()": "config.logs.WithRequest"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["without_links", "with_request"],
        }
    },
    "root": {"handlers": ["console"], "level": os.environ.get("QUAESTOR_LOG_LEVEL", "WARNING")},
    # any client may send a wrong Host header, and each would be a traceback
    "loggers": {"django.security.DisallowedHost": {"level": "CRITICAL"}},
}
