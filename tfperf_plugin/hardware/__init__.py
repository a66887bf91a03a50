"""What GPUs and links can do, with sources."""
