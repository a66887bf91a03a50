"""Runs analyses in this process, in worker processes or on Dask, and caches their results."""
