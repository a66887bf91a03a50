"""A slice: the events of a range on one host, as a file that Perfetto and ``chrome://tracing`` open.

``choose`` says which events it holds; ``chrome`` puts those that overlap on lines of their own, and writes
them. It works for any format, as it reads a ``HostTrace``.
"""
