"""The language that is proposed for texts."""

import pytest

from judging.imports.readers.likely_language import likely_language


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("The lock was built by Agnes.", "en"),
        ("بنى سامي القصر في Cairo.", "ar"),
        ("北京的故宫建成于1420年", "zh"),
        ("東京タワーは赤い", "ja"),
        ("Мост открыли в 1921 году", "ru"),
        ("1921?", "en"),
    ],
)
def test_language_goes_by_the_script_of_most_letters(text, tag) -> None:
    assert likely_language([text]) == tag
