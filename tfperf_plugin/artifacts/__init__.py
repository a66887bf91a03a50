"""What several rules share, derived once from trace and steps. One artifact, one file."""
