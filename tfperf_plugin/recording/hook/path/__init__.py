"""Stands on PYTHONPATH, and must therefore hold nothing but ``sitecustomize``."""
