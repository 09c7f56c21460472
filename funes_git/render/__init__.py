"""From answers to text: one module per rendering and kind of answer. Prints nothing, reads no store."""
