"""The panels of the report, one file each: functions whose parameters are artifacts, as for rules."""
