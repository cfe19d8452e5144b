"""What pages say of a field that was filled in wrongly: our words, not the framework's stock
sentences."""

import gettext

from config.data_folder import ROOT
from tests.test_translations import entries

CATALOGUE = ROOT / "locale" / "en" / "LC_MESSAGES" / "django"


def test_the_compiled_catalogue_is_the_written_one():
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        compiled = set(map(str, gettext.GNUTranslations(file)._catalog.values()))
    for entry in entries(CATALOGUE.with_suffix(".po").read_text(encoding="utf-8")):
        said = [text for name, text in entry.items() if name.startswith("msgstr")]
        assert set(said) <= compiled, entry
