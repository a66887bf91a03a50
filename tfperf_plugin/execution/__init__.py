"""Where analyses run: here, in a process, a pool of them, or Dask; and what is kept."""
