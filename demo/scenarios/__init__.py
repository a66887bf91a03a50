"""One training per file, each with one cause that should be the first thing a diagnosis names."""
