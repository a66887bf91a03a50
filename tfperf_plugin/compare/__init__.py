"""Two reports side by side: is the new run better, by how much, where, and can that be said at all."""
