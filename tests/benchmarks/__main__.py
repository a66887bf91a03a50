"""``python -m tests.benchmarks``."""

from tests.benchmarks.benchmark import main

if __name__ == "__main__":
    main()
