"""The REST API: what pages do, for programs. One module for each resource; each view set calls the same
guards and actions as the pages."""
