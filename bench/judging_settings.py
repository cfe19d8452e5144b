"""The project's own settings with one more address."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "bench.judging_urls"
