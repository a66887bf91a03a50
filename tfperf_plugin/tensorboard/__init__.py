"""The plugin: routes, jobs, and the built page."""
