"""What one GPU does, and what it waits for."""
