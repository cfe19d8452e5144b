"""The door for a web server that speaks WSGI."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
_ = get_resolver().url_patterns  # views are imported now, so that no first request waits for them
