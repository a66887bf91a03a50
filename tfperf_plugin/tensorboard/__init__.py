"""The plugin: routes, jobs, and the built page (``static``).

Routes answer from cached reports, which are sent as they are stored once checksum and content are checked.
Missing ones are computed by jobs in another process, once for all requests, so that untrusted bytes cannot
exhaust TensorBoard's memory and a job can be canceled. The page is one bundle below 150 KB, compressed.
"""
