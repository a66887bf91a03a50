"""What a step would take without chosen findings: a replay of the recorded timeline."""
