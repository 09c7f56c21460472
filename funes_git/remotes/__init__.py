"""Memories that lie elsewhere: on the Hugging Face Hub, in a folder or object store, in a file."""
