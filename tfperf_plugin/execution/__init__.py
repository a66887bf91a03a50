"""Runs analyses in this process, in worker processes or on Dask, and caches their results.

``hosts`` surveys and analyzes one host, ``analyze`` a run, ``pipeline`` makes a run's report or takes it from
the ``cache``. ``pool`` and ``dask`` spread hosts over processes; ``process`` is one worker, which has
``limits`` of memory and time, and gives up rights. Processes exchange declared types (``codec``), never
pickle. What is computed, ``analysis`` and ``judging`` say.

A report's key is a hash of content, code and options, computed before and after reading: if the file changed,
it is read again, and then refused. Arrays for later requests, such as the timeline of a step, are cached
beside the report under the same key.
"""
