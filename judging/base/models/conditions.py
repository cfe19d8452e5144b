"""The conditions under which an annotator judges a task."""

from django.db import models


class PageView(models.TextChoices):
    """The layout of a task's page for its annotator."""

    FOCUS = "focus", "one question at a time"
    LIST = "list", "list of all questions"


class KeywordDisplay(models.TextChoices):
    """Whether the words of the question in view were highlighted in its passage."""

    HIGHLIGHTED = "highlighted", "highlighted"
    PLAIN = "plain", "not highlighted"


class ReviewDisplay(models.TextChoices):
    """Whether the review came before Submit, in a campaign that lets annotators switch it off."""

    SHOWN = "shown", "review shown"
    OFF = "off", "review switched off"


class Device(models.TextChoices):
    """The size of an annotator's screen, as the page measured it."""

    PHONE = "phone", "phone"
    TABLET = "tablet", "tablet"
    DESKTOP = "desktop", "desktop"


class InputKind(models.TextChoices):
    """The kind of input by which an annotator answered."""

    TOUCH = "touch", "touch"
    MOUSE = "mouse", "mouse"
    KEYBOARD = "keyboard", "keyboard"
