"""Renders the report as text, Markdown and HTML."""
