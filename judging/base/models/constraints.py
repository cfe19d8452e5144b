"""A constraint that Django lacks: a foreign key over several columns, enforced by PostgreSQL."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import BaseConstraint


class CompositeForeignKey(BaseConstraint):
    """FOREIGN KEY over `fields`, pointing at `to_fields` of the model `to`; a NULL in any column
    lets the row pass."""

    def __init__(
        self, *, name: str, fields: tuple[str, ...], to: str, to_fields: tuple[str, ...]
    ) -> None:
        super().__init__(name=name)
        self.fields, self.to, self.to_fields = tuple(fields), to, tuple(to_fields)

    def _columns(self, model: Any, fields: tuple[str, ...], quote: Any) -> str:
        return ", ".join(quote(model._meta.get_field(field).column) for field in fields)

    def constraint_sql(self, model: Any, schema_editor: Any) -> str:
        quote = schema_editor.quote_name
        target = model._meta.apps.get_model(self.to)
        return (
            f"CONSTRAINT {quote(self.name)} FOREIGN KEY ({self._columns(model, self.fields, quote)}) "
            f"REFERENCES {quote(target._meta.db_table)} ({self._columns(target, self.to_fields, quote)})"
        )

    def create_sql(self, model: Any, schema_editor: Any) -> str:
        table = schema_editor.quote_name(model._meta.db_table)
        return f"ALTER TABLE {table} ADD {self.constraint_sql(model, schema_editor)}"

    def remove_sql(self, model: Any, schema_editor: Any) -> str:
        quote = schema_editor.quote_name
        return f"ALTER TABLE {quote(model._meta.db_table)} DROP CONSTRAINT {quote(self.name)}"

    def validate(
        self, model: Any, instance: Any, exclude: Any = None, using: str = "default"
    ) -> None:
        """Raise ValidationError, before saving, if the database would refuse the row."""
        values = [getattr(instance, model._meta.get_field(field).attname) for field in self.fields]
        if None in values:
            return
        target = model._meta.apps.get_model(self.to)
        if (
            not target._default_manager.using(using)
            .filter(**dict(zip(self.to_fields, values, strict=True)))
            .exists()
        ):
            raise ValidationError(self.get_violation_error_message())

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        path, args, kwargs = super().deconstruct()
        return (
            path,
            args,
            kwargs | {"fields": self.fields, "to": self.to, "to_fields": self.to_fields},
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CompositeForeignKey) and self.deconstruct() == other.deconstruct()

    def __hash__(self) -> int:
        return hash((self.name, self.fields, self.to, self.to_fields))
