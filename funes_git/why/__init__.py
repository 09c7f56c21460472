"""The answers of `why`, `blame` and `log`: from lines and commits to the turns behind them.

Reads git and the catalog only; imports nothing heavy, for it is what people wait for.
"""
