"""The report as text, Markdown and HTML."""
