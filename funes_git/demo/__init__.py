"""The sample repository of `git funes demo`: a small library, the agents that worked on it, and a
walk through what funes-git makes of them. Touches nothing outside its own folder."""
