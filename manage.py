#!/usr/bin/env python3
"""Django's management commands in a checkout."""

import sys

from config.command_line import run_command

if __name__ == "__main__":
    run_command(sys.argv)
