"""Annotators' pay: the planned rate, the pay for the hours they worked, and the supplement up to a
minimum.

Plain Python over amounts, in decimals: money is never a binary fraction. Idle time over two minutes
is not paid time, and neither rounding nor a failed check ever lowers an annotator's pay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any

CENT = Decimal("0.01")
HOUR = Decimal(3600)


@dataclass(frozen=True, slots=True)
class Rate:
    """The pay of a task, its currency, the planned minutes of a task, and the minimum pay of an
    hour."""

    amount: Decimal
    currency: str
    minutes: Decimal
    floor: Decimal | None = None

    @property
    def hourly(self) -> Decimal:
        """Return the pay of an hour if tasks take as long as planned."""
        return (self.amount * 60 / self.minutes).quantize(CENT)

    @property
    def below_floor(self) -> bool:
        """Return whether the plan itself pays less than its minimum."""
        return self.floor is not None and self.hourly < self.floor


def rate_of(document: Mapping[str, Any]) -> Rate | None:
    """Return the rate stored in a campaign; None if none is planned."""
    if not document:
        return None
    floor = document.get("floor")
    return Rate(
        Decimal(document["amount"]),
        document["currency"],
        Decimal(document["minutes"]),
        Decimal(floor) if floor else None,
    )


def rate_document(rate: Rate) -> dict[str, str]:
    """Return a rate for JSON: amounts as text, so that no cent is lost."""
    written = {"amount": str(rate.amount), "currency": rate.currency, "minutes": str(rate.minutes)}
    return written | ({"floor": str(rate.floor)} if rate.floor is not None else {})


@dataclass(frozen=True, slots=True)
class Earned:
    """One annotator's work so far: tasks of every kind, seconds at work, and the rate that pays
    them."""

    tasks: int
    seconds: float
    rate: Rate

    @property
    def amount(self) -> Decimal:
        return (self.tasks * self.rate.amount).quantize(CENT)

    @property
    def hourly(self) -> Decimal | None:
        """Return the pay of an hour at work; None before any time was counted."""
        if self.seconds <= 0:
            return None
        return (self.amount * HOUR / Decimal(str(self.seconds))).quantize(CENT)

    @property
    def top_up(self) -> Decimal:
        """Return the supplement that raises the pay for the hours worked to the minimum, rounded up
        to a cent; 0 if none is due."""
        if self.rate.floor is None:
            return Decimal(0)
        owed = self.rate.floor * Decimal(str(self.seconds)) / HOUR - self.amount
        return max(owed, Decimal(0)).quantize(CENT, rounding=ROUND_CEILING)
