"""What annotators do that the pages and the REST API share."""
