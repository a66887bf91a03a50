"""The panels of the report, one file each."""
