"""The recording itself: what it lost, which GPUs it saw, and the framework of the program."""
