"""The report: model, schema, building and rendering."""
