"""Under which conditions an annotator judges a task."""

from django.db import models


class PageView(models.TextChoices):
    """How a task is laid out for its annotator."""

    FOCUS = "focus", "one question at a time"
    LIST = "list", "list of all questions"


class KeywordDisplay(models.TextChoices):
    """Whether the words of the question in view were highlighted in its passage."""

    HIGHLIGHTED = "highlighted", "highlighted"
    PLAIN = "plain", "not highlighted"


class Device(models.TextChoices):
    """The size of an annotator's screen, as the page measured it."""

    PHONE = "phone", "phone"
    TABLET = "tablet", "tablet"
    DESKTOP = "desktop", "desktop"


class InputKind(models.TextChoices):
    """What an annotator answered with."""

    TOUCH = "touch", "touch"
    MOUSE = "mouse", "mouse"
    KEYBOARD = "keyboard", "keyboard"
