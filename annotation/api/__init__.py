"""The REST API of annotators."""
