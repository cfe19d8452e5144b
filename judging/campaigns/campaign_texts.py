"""The texts of a campaign that annotators read, in the languages they were written in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

TRANSLATED = ("introduction", "pay", "consent")


class WithTexts(Protocol):
    """The attributes of a campaign that this module reads."""

    introduction: str
    pay: str
    consent: str
    text_language: str
    translated_texts: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class CampaignText:
    """A text and its language."""

    text: str
    language: str

    @property
    def paragraphs(self) -> list[str]:
        """Return the paragraphs, which empty lines divide."""
        lines = "\n".join(line.strip() for line in self.text.splitlines())  # browsers send \r\n
        return [part.strip() for part in lines.split("\n\n") if part.strip()]


def text_in(campaign: WithTexts, name: str, language: str) -> CampaignText:
    """Return a text in a language if it was written in it, else in its first language.

    Parameters
    ----------
    name
        One of `TRANSLATED`.
    language
        The language of the page, such as "de" or "de-AT".
    """
    wanted = language.split("-")[0]
    translated = campaign.translated_texts.get(wanted, {}).get(name, "")
    if wanted != campaign.text_language and translated:
        return CampaignText(translated, wanted)
    return CampaignText(getattr(campaign, name), campaign.text_language)


def whole_consent(campaign: WithTexts) -> str:
    """Return the consent text in all its languages, because an annotator who agreed to one agreed
    to all."""
    versions = {
        language: texts["consent"]
        for language, texts in campaign.translated_texts.items()
        if texts.get("consent")
    }
    if not campaign.consent or not versions:
        return campaign.consent
    return json.dumps([campaign.consent, versions], sort_keys=True, ensure_ascii=False)


def drop_translations(campaign: WithTexts, name: str) -> dict[str, dict[str, str]]:
    """Return the translated texts without those of one name, for when that text is rewritten."""
    kept = {
        language: {key: text for key, text in texts.items() if key != name}
        for language, texts in campaign.translated_texts.items()
    }
    return {language: texts for language, texts in kept.items() if texts}
