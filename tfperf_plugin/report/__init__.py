"""The report: its model, assembly and rendering."""
