"""Statements are prepared once a connection, and again on another."""

import pytest
from django.db import DataError, IntegrityError, connection

from judging.base.models import statements

pytestmark = pytest.mark.django_db


def _known() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'quaestor%'")
        return int(cursor.fetchone()[0])


def test_rows_takes_arguments_in_any_order_and_as_often_as_named() -> None:
    said = statements.query_rows(
        "SELECT %(b)s::int - %(a)s::int, %(b)s::int, 7 %% 4, %(c)s::text",
        {"a": 2, "b": 5, "c": "100%"},
    )
    assert said == [(3, 5, 3, "100%")]


def test_rows_prepares_a_statement_once() -> None:
    before = _known()
    assert [statements.query_rows("SELECT %(n)s::int AS once", {"n": n}) for n in (1, 2)] == [
        [(1,)],
        [(2,)],
    ]
    assert _known() == before + 1


@pytest.mark.django_db(transaction=True)
def test_rows_prepares_again_on_a_new_connection() -> None:
    statements.query_rows("SELECT %(n)s::int AS again", {"n": 1})
    connection.close()
    assert statements.query_rows("SELECT %(n)s::int AS again", {"n": 2}) == [(2,)]


def test_run_says_how_many_rows_it_changed() -> None:
    text = "CREATE TEMPORARY TABLE counted (n) ON COMMIT DROP AS VALUES (1), (2), (3)"
    with connection.cursor() as cursor:
        cursor.execute(text)
    assert statements.run_statement("UPDATE counted SET n = 0 WHERE n > %(n)s", {"n": 1}) == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("SELECT 1 / %(n)s::int", DataError),
        ("INSERT INTO judging_task (round_id, number) VALUES (NULL, %(n)s::int)", IntegrityError),
    ],
)
def test_run_raises_the_errors_of_django(statement: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        statements.run_statement(statement, {"n": 0})
    assert statements.query_rows("SELECT %(n)s::int", {"n": 3}) == [(3,)]
