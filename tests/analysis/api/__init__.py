"""Tests of the REST API of analyses."""
