"""What the public guides say, by section, and figures of hardware with their sources."""
