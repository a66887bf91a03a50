"""Can this profile be trusted? Notes on the recording, never with a saving."""
