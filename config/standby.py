"""A server that is ready before it is needed: it imports what takes long, waits for a word on its
standard input, and goes on as the program that is named.

    python -m config.standby gunicorn -c deploy/gunicorn.conf.py

`config.processes` keeps one beside each program that has started well. A program that dies is
followed by one that has only to begin.
"""

import os
import runpy
import sys
from importlib import import_module

TAKE_LONG = {
    "gunicorn": ("gunicorn.app.wsgiapp", "config.web_worker", "config.wsgi"),
    "celery": (
        "celery.bin.celery",
        "celery.apps.worker",
        "celery.concurrency.asynpool",
        "celery.concurrency.prefork",
        "celery.worker.consumer",
        "billiard.popen_fork",
        "cffi.cparser",  # each process of the pool asks it for one constant
        "config.celery",
    ),
}


def main() -> None:
    """Import, wait, and become the program; end if whoever could call is gone."""
    program = sys.argv[1]
    for module in TAKE_LONG[program]:
        import_module(module)
    if program == "celery":
        import_jobs()
    if not os.read(sys.stdin.fileno(), 1):
        return
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    del sys.argv[0]
    runpy.run_module(program, run_name="__main__", alter_sys=True)


def import_jobs() -> None:
    """Import Django and the modules that hold jobs, as the worker would when it begins."""
    import django

    from config.celery import app

    django.setup()
    app.loader.import_default_modules()


if __name__ == "__main__":
    main()
