"""Penn Treebank words, lower-cased and without punctuation: what coco's evaluation scores.

It runs the Java tokeniser of Stanford CoreNLP 3.4.1. This is an approximation of it from the
treebank's rules, not a port: docs/metrics.md says on how many texts the two agree.
"""

import re

PUNCTUATION = frozenset(("''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"))

_SAME_AS = str.maketrans(
    {
        "‘": "`",
        "’": "'",
        "‛": "`",
        "“": " `` ",
        "”": " '' ",
        "«": " `` ",
        "»": " '' ",
        "–": " -- ",
        "—": " -- ",
    }
    | {"\u00ad": "", "\u200c": "", "\u200d": "", "\u00a0": " ", "…": " ... ", "´": "'"}
)
_BRACKETS = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}

_SHORTENED = (
    "adj|adm|adv|asst|bart|bldg|brig|bros|capt|cmdr|col|comdr|con|corp|cpl|dr|ens|gen|gov|hon|hosp|insp|lt|maj|"
    "messrs|mlle|mm|mme|mr|mrs|ms|msgr|op|ord|pfc|ph|prof|pvt|rep|reps|res|rev|rt|sen|sens|sfc|sgt|sr|jr|st|supt|"
    "surg|vs|inc|co|ltd|al|ave|blvd|rd|cf|eg|ie|seq|fig|figs|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|"
    "ariz|ark|calif|colo|conn|del|fla|ga|ill|ind|kan|ky|md|mich|minn|mo|mont|neb|nev|okla|penn|tenn|tex|va|vt|"
    "wash|wis|wyo"
)
_TWO_WORDS = {
    "cannot": ("can", "not"),
    "gonna": ("gon", "na"),
    "wanna": ("wan", "na"),
    "gotta": ("got", "ta"),
    "gimme": ("gim", "me"),
    "lemme": ("lem", "me"),
    "'tis": ("'t", "is"),
    "'twas": ("'t", "was"),
}

_TOKEN = re.compile(
    rf"""
      https?://\S+ | [\w.+-]{{1,64}}@[\w-]{{1,63}}\.[\w.]+  # addresses; a part has at most so many letters
    | (?:[^\W\d_]\.){{2,}}(?:-\w+)* | (?:[^\W\d_]\.)+[^\W\d_]\b  # u.s. e.g.
    | \b[^\W\d_]\.(?=\s)                                # initials
    | \b(?:{_SHORTENED})\.(?=\s|,) | \betc\.  # shortened words, not at the end
    | \w{{1,63}}(?:\.\w{{1,63}}){{0,8}}\.(?:com|net|org|edu|gov)\b  # names of sites
    | n't\b | '(?:s|m|d|re|ve|ll)\b | 'n'               # what is split off a word
    | '(?:tis|twas)\b | '\d0s\b | us\$
    | \d+(?:[.,:]\d+)*(?:[\w/&-]*\w)?                   # numbers, and words that begin with one
    | [^\W\d_](?:(?!n't\b)\w | [-/&](?=\w) | '(?=[^\W\d_]{{2}})(?!(?:re|ve|ll)\b))*
    | \.{{2,}} | --+ | `` | '' | [?!]+ | _+ | \S
    """,
    re.VERBOSE,
)


def ptb(text: str) -> str:
    """Return the words of a text as coco's evaluation sees them, with single spaces between.

    Examples
    --------
    >>> ptb('What wasn\\'t Nobel\\'s "rule"?')
    "what was n't nobel 's rule"
    """
    return " ".join(word for word in treebank_words(text) if word not in PUNCTUATION)


def treebank_words(text: str) -> list[str]:
    """Split a text into lower-cased treebank words, punctuation included."""
    tokens: list[str] = []
    for token in _TOKEN.findall(text.translate(_SAME_AS).replace('"', " '' ").lower()):
        tokens.extend(_TWO_WORDS.get(token) or (_BRACKETS.get(token, token),))
    return tokens
