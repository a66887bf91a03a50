"""What hosts do while GPUs wait: launching, eager ops, compiling, gaps between steps, and start-up."""
