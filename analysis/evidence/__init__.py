"""From a number to its questions: lists of questions, and one source with all its judgments."""
