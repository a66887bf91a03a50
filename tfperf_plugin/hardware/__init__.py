"""Rates of GPUs and links, with sources."""
