"""How a dataset is assembled from files: matching, joining, taking back, and the pages for
it."""
