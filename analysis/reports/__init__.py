"""Results into tables, charts, sentences and files."""
