"""The version of the library, which signatures name."""

VERSION = "0.1.0"
