"""From answers to text: a module for each kind of answer. Prints nothing, reads no store."""
