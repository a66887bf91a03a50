"""What the artifacts mean: rules, their verdicts and their order."""
