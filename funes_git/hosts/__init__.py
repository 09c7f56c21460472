"""The programs that funes-git hooks into: git here, agents later. One module per host."""
