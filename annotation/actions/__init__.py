"""Actions of annotators that the pages and the REST API share."""
