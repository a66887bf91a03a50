"""Several GPUs and hosts: collectives, who waits for whom, stages, and copies between GPUs."""
