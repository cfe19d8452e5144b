"""The shape of a file: one frame of its sheets or its tree, and the steps that change that frame.

A step takes a frame and returns one, with a sentence for the page if it changed anything. Each can
be excluded. Repairs change texts, and are made on request only.
"""

import ast
import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as Object
from dataclasses import dataclass
from itertools import chain, pairwise, zip_longest
from statistics import median
from typing import Any, cast

import pandas as pd

from judging.base.limits import MAX_NAME_CHARACTERS, MAX_TABLE_ROWS
from judging.base.texts import as_number, is_number, plain_name
from judging.formats.frames import FileSheet, Opened, Unreadable
from judging.formats.mapping import Mapping
from judging.formats.open import is_question, parse_json, unique_names
from judging.formats.recipes.shared import frame_of_rows, json_cell, json_in
from judging.formats.vocabulary import is_criterion, order_scale_words, vocabulary, words_of

_AS_JSON = "stays JSON"  # the attribute of a frame with its columns of lists that are not opened
SHEET = "sheet"  # the column that names the sheet of a row
MAX_RATINGS_PER_CELL = 20
MAX_NAMED = 5  # rows or columns that a sentence names
MOSTLY = 0.8  # share of the groups of rows that go on with blank cells
USUAL = 0.9  # share of the cells of a column that decides

_WRAPPERS = ("data", "items", "records", "rows", "results", "examples", "instances", "samples")
_SPLITS = {"train", "training", "dev", "valid", "validation", "val", "test"}
# Lists of objects that are likely rows: of questions, of ratings, of other things
_LIKELY = re.compile("question|qas|predict|output|generat|hypothes|(rat|judg|annot)|(item|answer)")
_GENERATED = re.compile("generat|predict|output|hypothes")
_TOTAL = re.compile(
    r"((grand|sub|overall|column|macro|micro)[ -]?)?(totals?|averages?|avg\.?|means?|sums?|overall"
    r"|medians?|std\.?( ?dev\.?)?|stdev|s\.?d\.?|min(imum)?|max(imum)?|standard deviation"
    r"|([\w'’]+ )?(kappa|alpha|icc|agreement|iaa)|[κα])( (score|rating|value|row)s?)?:?",
    re.I,
)
_PERCENT = re.compile(r"([+-]?[0-9]+(?:[.,][0-9]+)?)\s?[%％]")
_TOKEN = re.compile(
    r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\[\](){}:,]|[^\s\[\](){}:,'"]+)""", re.S
)
_CONSTANTS = {"true": "'true'", "false": "'false'", "none": "None", "null": "None", "nan": "None"}
_TYPE = re.compile(r"((np|numpy)\.)?(array|(float|int|str_?|bool_?)\d*)")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.I)
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]{2,}")
_UNDEFINED = "\x81\x8d\x8f\x90\x9d"  # in Windows-1252
_OF_SOURCES = ("passage", "sentence", "answer", "answer_start", "target_type", "system")

Frame = pd.DataFrame
Record = dict[str, Any]
Rows = list[tuple[int, Record]]
Step = Callable[[Frame], tuple[Frame, str]]


@dataclass(frozen=True, slots=True)
class ChangedShape:
    """A step that changed the frame, or could: its sentence, and the columns that it changed."""

    step: str
    sentence: str
    columns: tuple[str, ...] = ()


class _Lines(list[Record]):
    """A list in a cell of which each item is a row with these further cells."""


def tabulate(opened: Opened, mapping: Mapping) -> Frame:
    """Return the one frame of a file that is read by no recipe; `opened.notes` says what was chosen.

    Raises
    ------
    Unreadable
        If the tree holds no rows or too many.
    """
    if opened.kind == "xml":
        raise Unreadable("The XML is not of a kind that is known. Save its table as CSV.")
    if opened.kind != "json":
        return _joined(opened, mapping)
    frame = _expanded(_json_rows(opened), opened, set())
    if not any(map(any, frame.to_numpy())):
        raise Unreadable("The file holds no texts.")
    return frame


def reshape(frame: Frame, mapping: Mapping) -> tuple[Frame, list[ChangedShape]]:
    """Return the frame after every step that it needs and the repairs asked for."""
    done = []
    steps = {name: step for name, step in STEPS.items() if name not in mapping.as_is}
    for name, step in (steps | {repair: REPAIRS[repair] for repair in mapping.repairs}).items():
        changed, sentence = step(frame)
        if sentence:
            done.append(ChangedShape(name, sentence, _changed(frame, changed)))
            frame = changed
    return frame, done


def offered_repairs(frame: Frame) -> list[ChangedShape]:
    """Return the repairs that would change cells."""
    found = []
    for name, repair in REPAIRS.items():
        changed, sentence = repair(frame)
        if columns := _changed(frame, changed):
            cells = int((changed != frame).to_numpy().sum())
            what = sentence.split(" were ")[0]
            where = f"{cells:,} cells" if cells > 1 else "1 cell"
            found.append(ChangedShape(name, f"{what} occur in {where}.", columns))
    return found


def open_lists(frame: Frame) -> tuple[Frame, str]:
    """Open lists and objects in cells: questions and objects into rows, ratings into columns, other
    texts as JSON."""
    found = {name: values for name in frame.columns if (values := _structures(name, frame[name]))}
    kinds = {name: kind for name in found if (kind := _kind(name, frame, found))}
    if not kinds:
        return frame, ""
    records = zip(frame.index, cast(list[Record], frame.to_dict("records")), strict=True)
    rows = [(number, _opened(record, kinds, found)) for number, record in records]
    notes = [f"In column “{name}”, {_KINDS[kind]}." for name, kind in kinds.items()]
    opened = Opened(kind="json", notes=notes)
    return _expanded(rows, opened, frame.attrs.get(_AS_JSON, set())), " ".join(notes)


def drop_totals(frame: Frame) -> tuple[Frame, str]:
    """Exclude rows of totals, which have numbers and a single text such as "Average"."""
    if not any(map(_names_totals, (frame[name] for name in frame.columns))):
        return frame, ""
    columns = {name: frame[name].map(_number) for name in frame.columns if name != SHEET}
    numbers = {n: found for n, found in columns.items() if _is_usual(found.notna(), frame[n])}
    texts = [name for name in columns if name not in numbers]
    if not texts or not numbers:
        return frame, ""
    with_number = pd.DataFrame(numbers).notna().any(axis=1).tolist()
    dropped = _totals(frame[texts].to_numpy().tolist(), with_number)
    named = [f"{frame.index[place]:,} (“{label}”)" for place, label in sorted(dropped.items())]
    rest = frame.iloc[[place for place in range(len(frame)) if place not in dropped]]
    return rest, f"Rows of totals were excluded: row {_listed(named)}." if named else ""


def _names_totals(cells: "pd.Series[str]") -> bool:
    return any(_TOTAL.fullmatch(cell.strip()[:60]) for cell in cells.unique())


def _totals(texts: list[list[str]], with_number: list[bool]) -> dict[int, str]:
    """Return the places of rows of totals with their labels. If rows usually have a single text,
    which may be a name such as "Max", only the last rows are totals."""
    filled = [[cell.strip() for cell in row if cell.strip()] for row in texts]
    usual = median(map(len, filled))
    dropped: dict[int, str] = {}
    for place in reversed(range(len(filled))):
        is_last = len(dropped) == len(filled) - place - 1
        label = filled[place][0] if len(filled[place]) == 1 else ""
        if with_number[place] and _TOTAL.fullmatch(label[:60]) and (usual > 1 or is_last):
            dropped[place] = label
    return dropped


def drop_percent_signs(frame: Frame) -> tuple[Frame, str]:
    """Write 61 for `61%` in columns in which nearly every cell has the sign."""
    changes = {}
    for name in frame.columns:
        filled = [cell for cell in frame[name].unique() if cell.strip()]
        found = {cell: sign[1] for cell in filled if (sign := _PERCENT.fullmatch(cell.strip()))}
        if found and len(found) >= USUAL * len(filled):
            changes[name] = found
    said = f"Percent signs were removed in {_columns(list(changes))}." if changes else ""
    return _replaced(frame, changes), said


def fill_down(frame: Frame) -> tuple[Frame, str]:
    """Fill blank cells of sources and systems from above, as merged cells leave them."""
    blank = pd.DataFrame({name: frame[name].str.strip() == "" for name in frame.columns})
    merged = [name for name in frame.columns if _is_merged(blank[name])]
    chosen = [name for name in merged if _is_filled_down(name)]
    if not chosen:
        return frame, ""
    filled = frame[chosen].mask(blank[chosen]).ffill()
    count = int(blank[chosen[0]].sum())
    said = f"Blank cells in {_columns(chosen)} were filled from the cell above, in {count:,} rows."
    return frame.assign(**{name: filled[name] for name in chosen}).astype(object), said


def _is_merged(blank: "pd.Series[bool]") -> bool:
    """Return whether the first cell is filled, and a blank one follows nearly each filled one."""
    goes_on = blank.shift(-1, fill_value=False)[~blank]
    is_alone = len(goes_on) < 2 or bool(blank.iloc[0])
    return not is_alone and float(goes_on.mean()) >= MOSTLY


def replace_entities(frame: Frame) -> tuple[Frame, str]:
    """Replace HTML entities by their characters."""
    return _repaired(frame, _ENTITY, html.unescape, "HTML entities such as “{}” were replaced")


def repair_letters(frame: Frame) -> tuple[Frame, str]:
    """Repair UTF-8 that was read as Windows-1252."""
    return _repaired(
        frame,
        _BEYOND_ASCII,
        lambda cell: _BEYOND_ASCII.sub(lambda run: _as_utf8(run[0]), cell),
        "Letters in a wrong encoding such as “{}” were corrected",
    )


STEPS: dict[str, Step] = {
    "lists": open_lists,
    "totals": drop_totals,
    "percent": drop_percent_signs,
    "fill_down": fill_down,
}
REPAIRS: dict[str, Step] = {"entities": replace_entities, "mojibake": repair_letters}


def _joined(opened: Opened, mapping: Mapping) -> Frame:
    """Return the sheets that a person chose, else those that are alike, as one frame."""
    chosen = opened.sheets if mapping.sheets else _alike(opened.sheets)
    chosen = chosen[:1] if "sheets" in mapping.as_is else chosen
    if len(opened.sheets) > 1:
        names = " and ".join(f"“{sheet.name[:80]}”" for sheet in chosen[:MAX_NAMED])
        opened.notes.append(f"{len(chosen)} of {len(opened.sheets)} sheets are read: {names}.")
    if len(chosen) == 1:
        return chosen[0].frame
    whole = pd.concat([sheet.frame.assign(**{SHEET: sheet.name}) for sheet in chosen])
    columns = [SHEET, *(name for name in whole.columns if name != SHEET)]
    return whole[columns].fillna("").astype(object)


def _alike(sheets: list[FileSheet]) -> list[FileSheet]:
    """Return the most sheets with the same columns, of which there are several if possible."""
    wide = [sheet for sheet in sheets if len(sheet.frame.columns) > 1] or sheets[:1]
    groups: dict[tuple[str, ...], list[FileSheet]] = {}
    for sheet in wide:
        groups.setdefault(tuple(sheet.frame.columns), []).append(sheet)
    return max(groups.values(), key=len)


def _json_rows(opened: Opened) -> Rows:
    """Return the records of a JSON file in any of the orientations that programs write."""
    tree = opened.tree
    numbers: list[int] = getattr(tree, "rows", [])
    if isinstance(tree, dict):
        tree, layout = _oriented(tree)
        opened.notes.extend([f"The file is JSON {layout}."] if layout else [])
    if _all(tree, list):
        names = unique_names(map(json_cell, tree[0]))
        tree, numbers = [dict(zip_longest(names, row[: len(names)])) for row in tree[1:]], []
    kept = zip(numbers or range(1, len(tree) + 1), tree, strict=True)
    return [(number, record) for number, record in kept if isinstance(record, dict)]


def _oriented(value: Record) -> tuple[list[Any], str]:
    """Return the records in a JSON object, and the name of its layout."""
    inside = list(value.values())
    lists = [name for name in value if _all(value[name], dict)]
    if len(lists) == 1 and lists[0] in _WRAPPERS:
        return _unwrapped(value, lists[0]), ""
    if isinstance(value.get("columns"), list) and _all(value.get("data"), list):
        rows = [value["columns"], *value["data"]]
        return rows, "with the names of columns beside the rows (“split”)"
    if _all(inside, dict):
        return _by_key(value)
    if _all(inside, list):
        return _of_lists(value)
    is_texts = all(isinstance(text, str | None) for text in inside)
    if is_texts and len(value) > 2 and not _known(value):
        return [{"id": key, "prediction": text} for key, text in value.items()], "by id"
    return [value], ""


def _unwrapped(value: Record, name: str) -> list[Record]:
    """Return the records in the list of this name, with the texts beside the list in each."""
    shared = {key: each for key, each in value.items() if not isinstance(each, dict | list)}
    return [{**shared, **record} for record in value[name]]


def _by_key(value: Record) -> tuple[list[Any], str]:
    """Return the records in an object of objects: columns, rows, or questions by system and id."""
    inner = list(dict.fromkeys(chain.from_iterable(value.values())))
    cells = chain.from_iterable(row.values() for row in value.values())
    questions = not _known([*value, *inner]) and _are_questions(cells)
    key = "source_id" if questions else "id"
    if _known(inner) >= _known(value) and not (questions and len(value) <= len(inner)):
        return [{key: outer, **row} for outer, row in value.items()], "by row (“index”)"
    turned = [{name: column.get(k) for name, column in value.items()} for k in inner]
    if questions or inner != list(map(str, range(len(inner)))):
        turned = [{key: k, **row} for k, row in zip(inner, turned, strict=True)]
    return turned, "by system and id" if questions else "by column (“columns”)"


def _of_lists(value: Record) -> tuple[list[Any], str]:
    """Return the records in an object of lists: of records, cells, or the questions of systems."""
    inside = list(chain.from_iterable(value.values()))
    sizes = set(map(len, value.values()))
    if _all(inside, dict) and all(record.keys() == inside[0].keys() for record in inside):
        return _with_keys(value), "with a list of records under each key"
    if _known(value) and len(sizes) == 1 and sizes != {1}:
        return _side_by_side(value), "with a list for each column"
    if _known(value) or len(value) < 2 or not _are_questions(inside):
        return [value], ""
    numbered = {"source_id": list(map(str, range(1, max(sizes) + 1))), **value}
    return _side_by_side(numbered), "with a list of questions for each system"


def _with_keys(lists: Record) -> list[Record]:
    """Return the records of several lists with the key of each, which names a system or a split."""
    called = "subset" if {key.casefold() for key in lists} <= _SPLITS else "system"
    records = [(key, record) for key, found in lists.items() for record in found]
    if {called, "model"} & records[0][1].keys():
        return [record for _, record in records]
    return [{called: key, **record} for key, record in records]


def _side_by_side(columns: Record) -> list[Any]:
    return [dict(zip(columns, row, strict=True)) for row in zip_longest(*columns.values())]


def _expanded(rows: Rows, opened: Opened, closed: set[str]) -> Frame:
    """Return records as a frame, with objects opened into columns and lists of objects into rows:
    one list on each level, the likeliest or longest. The others, and those `closed`, stay JSON."""
    flat = [(number, dict(_flat(record))) for number, record in rows]
    while lists := _object_lists(flat, closed):
        chosen = max(lists, key=lambda name: (_likelihood(name), lists[name]))
        rated = _rated_keys(flat, chosen)
        people = [name for name in lists if rated and _rated_keys(flat, name) == rated]
        beside = lists.keys() - {chosen, *people}
        opened.notes.extend(_notes_on_lists(chosen, people, sorted(beside)))
        closed = closed | beside
        flat = [(n, cells) for n, row in flat for cells in _multiplied(row, chosen, people)]
        if len(flat) > MAX_TABLE_ROWS:
            raise Unreadable(f"The file has more than {MAX_TABLE_ROWS:,} rows; split it.")
    frame = frame_of_rows(opened, flat)
    frame.attrs[_AS_JSON] = closed
    return frame


def _notes_on_lists(chosen: str, people: list[str], beside: list[str]) -> Iterator[str]:
    """Yield sentences on the lists of objects that annotators filled, and on those not opened."""
    if people:
        yield f"Each place in the lists of {_columns(people)} is an annotator."
    if beside:
        yield f"Each item of “{chosen}” is a row; {_columns(beside)} beside it stays JSON."


def _object_lists(rows: Rows, closed: set[str]) -> Counter[str]:
    """Return the lengths of the lists of objects, by column."""
    found: Counter[str] = Counter()
    for _, row in rows:
        for name, value in row.items():
            if isinstance(value, list) and name not in closed and _all(value, dict):
                found[name] += len(value) if not {"start", "end"} <= value[0].keys() else 0
    return +found  # without lists of spans


def _rated_keys(rows: Rows, name: str) -> set[str]:
    """Return the keys of the objects in a list if all hold ratings and none names a person."""
    items = [item for _, row in rows if _all(row.get(name), dict) for item in row[name]]
    keys, words = {key for item in items for key in item}, vocabulary()
    ids = {*words["ids"], *words["roles"]["rater"]}
    for key in keys:
        values = [item.get(key) for item in items]
        is_id = plain_name(key) in ids or plain_name(key).endswith(tuple(words["id_ends"]))
        given = [text for value in values if (text := json_cell(value))]
        is_scale = all(map(is_number, given)) or order_scale_words(set(given))
        if is_id or not given or not is_scale or not _are_ratings(key, given):
            return set()
    return keys


def _multiplied(row: Record, name: str, people: Sequence[str]) -> Iterator[Record]:
    if people:
        outer = {key: cell for key, cell in row.items() if key not in people}
        for person in people:
            whose = f"{person} " if len(people) > 1 else ""
            for place, item in enumerate(row.get(person) or (), 1):
                rated = {"rater": f"{whose}{place}", **item}
                yield {**outer, **dict(_flat(rated, f"{name}."))}
        return
    value = row.get(name)
    if not isinstance(value, list) or not _all(value, dict):
        yield row
        return
    outer = {key: cell for key, cell in row.items() if key != name}
    prefix = "" if isinstance(value, _Lines) else f"{name}."
    for item in value:
        yield {**outer, **dict(_flat(item, prefix))}


def _flat(record: Record, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of an object, those of objects in it under both names."""
    for key, value in record.items():
        name = f"{prefix}{key}"
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, dict) and {"text", "answer_start"} <= first.keys():  # as in SQuAD
            for part in ("text", "answer_start"):
                inside = first[part]
                yield f"{name}.{part}", (inside or [""])[0] if isinstance(inside, list) else inside
        elif isinstance(value, dict) and (lines := _as_list(value)):
            yield name, lines
        elif isinstance(value, dict) and value and len(name) < MAX_NAME_CHARACTERS:
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def _as_list(value: Record) -> list[Record]:
    """Return an object of alike objects as a list of them with their keys, if these are systems,
    which have texts; else an empty list."""
    inside = list(value.values())
    if len(inside) < 2 or not _all(inside, dict) or any(map(is_criterion, value)):
        return []
    shared = [key for key in inside[0] if all(each.keys() == inside[0].keys() for each in inside)]
    have_texts = any(all(_is_words(each[key]) for each in inside) for key in shared)
    if not have_texts or "system" in shared:
        return []
    return [{"system": key, **each} for key, each in value.items()]


def _structures(name: str, cells: "pd.Series[Any]") -> dict[str, Any]:
    """Return the lists and objects in the cells of a column; nothing if few cells hold any."""
    filled = [cell for cell in cells.unique() if cell.strip()]
    found: dict[str, Any]
    found = {cell: value for cell in filled if (value := structure_in(cell)) is not None}
    is_reference = plain_name(name) in vocabulary()["references"]
    if not found and is_reference and any(" | " in cell for cell in filled):
        found = {cell: re.split(r" +\| +", cell.strip()) for cell in filled}
    return found if any(found.values()) and len(found) >= USUAL * len(filled) else {}


def _kind(name: str, frame: Frame, found: Object[str, Object[str, Any]]) -> str:
    """Return how the lists and objects of a column are opened, one of `_KINDS`; "" if not at all."""
    values = list(found[name].values())
    if _all(values, dict):
        return "object"
    if name in frame.attrs.get(_AS_JSON, ()) or not _all(values, list):
        return ""
    inner = [item for value in values for item in value]
    if _all(inner, dict):
        return "objects"
    kind = ""
    if all(isinstance(item, str | None) for item in inner):
        asked = [each for each in found if _are_outputs(each, frame, found)]
        kind = _kind_of_texts(name, values, asked)
    return kind or ("" if all(json_in(cell) is not None for cell in found[name]) else "list")


def _kind_of_texts(name: str, lists: list[list[str | None]], asked: list[str]) -> str:
    """Return how lists of texts are opened, if columns `asked` hold the questions of systems."""
    sizes = set(map(len, lists)) - {0}
    if name in asked[:1]:
        return "questions"
    if sizes == {1}:
        return "single"
    is_packed = len(sizes) == 1 and max(sizes) <= MAX_RATINGS_PER_CELL and not asked
    is_rated = is_packed and _are_ratings(name, list(chain.from_iterable(lists)))
    return "ratings" if is_rated else ""


_KINDS = {
    "object": "each key of the objects is a column",
    "objects": "each object in the lists is a row",
    "questions": "each question in the lists is a row",
    "single": "lists of one value are that value",
    "ratings": "the lists of ratings are columns, one for each place",
    "list": "the lists are read as several texts",
}


def _opened(record: Record, kinds: Object[str, str], found: Object[str, Any]) -> Record:
    """Return the cells of a row with the values that they hold."""
    cells: Record = {}
    for name, cell in record.items():
        kind = kinds.get(name, "")
        value = found[name].get(cell) if kind else None
        if kind == "ratings" and (value is not None or not cell.strip()):
            cells |= {f"{name} ({place})": each for place, each in enumerate(value or (), 1)}
        elif kind == "questions" and value:
            cells[name] = _Lines({name: each} for each in value)
        elif kind in ("single", "questions") and value is not None:
            cells[name] = value[0] if value else ""
        else:
            cells[name] = cell if value is None else value
    return cells


def structure_in(cell: str) -> list[Any] | Record | None:
    """Return the list or object that a cell holds as JSON, as a Python literal or as numpy prints
    it; None if it holds anything else. Numbers stay text."""
    text = cell.strip()
    if not re.match(r"[\[{(]|(np\.)?array\(", text) or text[-1] not in "])}":
        return None
    try:
        found = parse_json(text)
    except ValueError:
        try:
            found = ast.literal_eval(_python(text))
        except (KeyError, ValueError, SyntaxError, RecursionError):
            return None
    found = list(found) if isinstance(found, tuple) else found
    return found if isinstance(found, list | dict) else None


def _python(text: str) -> str:
    """Return a literal with numbers as text, commas between all items, and without names of types.

    Raises
    ------
    ValueError
        If there is anything else in the text.
    """
    pieces: list[str] = []
    found = _TOKEN.findall(text)
    if "".join("".join(found).split()) != "".join(text.split()):
        raise ValueError
    for before, piece in pairwise(["", *found]):
        if before == "dtype=" or _TYPE.fullmatch(piece):
            continue
        if piece.startswith("dtype="):
            del pieces[-1:]
            continue
        if piece[0] not in "'\"[](){}:,":
            piece = repr(piece) if is_number(piece) else _CONSTANTS[piece.casefold()]
        if pieces and pieces[-1] not in "[({:," and piece not in "])}:,":
            pieces.append(",")
        pieces.append(piece.replace("\n", "\\n"))
    return "".join(pieces)


def _are_outputs(name: str, frame: Frame, found: Object[str, Any]) -> bool:
    """Return whether the lists of a column hold the questions of a system, by its name and because
    no other column holds them."""
    plain, questions = plain_name(name.rpartition(".")[2]), vocabulary()["roles"]["question"]
    texts = [text for value in found[name].values() for text in value]
    if plain not in questions or any(text is None or is_number(text) for text in texts):
        return False
    others = {plain_name(column) for column in frame.columns if column not in found}
    named = _GENERATED.search(plain) is not None
    return named or (_are_questions(texts) and not others.intersection(questions))


def _are_ratings(name: str, items: Sequence[Any]) -> bool:
    """Return whether the items of lists are ratings: numbers on a scale, or few words."""
    if {*words_of(name)} & {*vocabulary()["not_ratings"]}:
        return False
    given = [item for item in items if item]
    if all(map(is_number, given)):
        numbers = [float(item) for item in given]
        return all((2 * number).is_integer() and abs(number) <= 100 for number in numbers)
    few = 2 * len(set(given)) <= len(given) and len(set(given)) <= 10
    return few and max(map(len, given)) <= 40 and not any(map(is_question, given))


def _are_questions(items: Iterable[Any]) -> bool:
    texts = list(items)
    asked = sum(isinstance(text, str) and is_question(text) for text in texts)
    return asked >= USUAL * len(texts) > 0 and all(isinstance(text, str | None) for text in texts)


def _is_filled_down(name: str) -> bool:
    """Return whether a column is about sources or systems, by its name."""
    words, plain = vocabulary(), plain_name(name)
    known = [words["roles"][role] for role in _OF_SOURCES]
    known += [words[group] for group in ("source_ids", "of_sources", "ids")]
    return any(plain in names for names in known)


def _number(cell: str) -> float | None:
    plain = as_number(cell.strip().rstrip("% "), "comma")
    return float(plain) if is_number(plain) else None


def _repaired(
    frame: Frame, pattern: re.Pattern[str], repair: Callable[[str], str], said: str
) -> tuple[Frame, str]:
    """Return the frame with every cell that matches repaired, and the sentence with an example."""
    changes = {}
    for name in frame.columns:
        cells = {cell: repair(cell) for cell in frame[name].unique() if pattern.search(cell)}
        if cells := {cell: new for cell, new in cells.items() if new != cell}:
            changes[name] = cells
    if not changes:
        return frame, ""
    first = next(iter(next(iter(changes.values()))))
    example = next(part for part in pattern.findall(first) if repair(part) != part)
    return _replaced(frame, changes), f"{said.format(example)} in {_columns(list(changes))}."


def _as_utf8(run: str) -> str:
    """Return letters that were read as Windows-1252 as the UTF-8 that they were."""
    try:
        letters = (a.encode("latin-1" if a in _UNDEFINED else "cp1252") for a in run)
        return b"".join(letters).decode()
    except UnicodeError:
        return run


def _replaced(frame: Frame, changes: Object[str, Object[str, str]]) -> Frame:
    """Return the frame with other cells, by column."""
    columns = {name: [new.get(cell, cell) for cell in frame[name]] for name, new in changes.items()}
    return frame.assign(**columns).astype(object)


def _changed(before: Frame, after: Frame) -> tuple[str, ...]:
    """Return the columns that are new or have other cells."""
    new = [name for name in after.columns if name not in before.columns]
    old = [name for name in after.columns if name not in new and len(before) == len(after)]
    return (*new, *(n for n in old if (before[n].to_numpy() != after[n].to_numpy()).any()))


def _all(values: Any, kind: type) -> bool:
    """Return whether this is a list of such values, and not empty."""
    return isinstance(values, list) and bool(values) and all(isinstance(v, kind) for v in values)


def _known(names: Iterable[str]) -> int:
    """Return how many names are common names of columns."""
    words = vocabulary()
    common = {*chain(*words["roles"].values()), *words["references"], *words["source_ids"]}
    return sum(plain_name(name) in common or is_criterion(name) for name in names)


def _is_usual(found: "pd.Series[bool]", cells: "pd.Series[Any]") -> bool:
    filled = int((cells.str.strip() != "").sum())
    return bool(filled) and int(found.sum()) >= USUAL * filled


def _is_words(value: Any) -> bool:
    return isinstance(value, str) and not is_number(value)


def _likelihood(name: str) -> int:
    """Return how likely the items of a list of this name are rows."""
    found = _LIKELY.search(name.rpartition(".")[2].casefold())
    return 3 - (found.lastindex or 0) if found else -1


def _columns(names: Sequence[str]) -> str:
    return _listed([f"“{name}”" for name in names])


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MAX_NAMED
    *first, last = [*names[:MAX_NAMED], f"{more:,} more"] if more > 0 else names
    return f"{', '.join(first)} and {last}" if first else last
