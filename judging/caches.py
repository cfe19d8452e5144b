"""Results that are costly to make and small to keep, in caches bounded by what they hold."""

from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

from cachetools import LRUCache, cached

Given = ParamSpec("Given")
Result = TypeVar("Result")
CACHE_CHARACTERS = 10_000_000  # that one cache holds in a process, of one to four bytes each


def kept_within(
    characters_of: Callable[..., int],
) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Keep a function's results, of which the least recently used make room for new ones.

    `characters_of` is given a result and what the function was given for it, and returns how many
    characters both hold: a number of results is no bound where somebody chooses their texts.
    """

    def keep(make: Callable[Given, Result]) -> Callable[Given, Result]:
        # a result that is larger than the whole cache is not put in
        cache: LRUCache[Hashable, tuple[int, Result]] = LRUCache(
            CACHE_CHARACTERS, getsizeof=lambda kept: kept[0]
        )

        @cached(cache, lock=Lock())
        def sized(*given: Given.args, **named: Given.kwargs) -> tuple[int, Result]:
            result = make(*given, **named)
            return characters_of(result, *given, **named), result

        @wraps(make)
        def kept(*given: Given.args, **named: Given.kwargs) -> Result:
            return sized(*given, **named)[1]

        return kept

    return keep
