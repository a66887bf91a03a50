"""How often the rules are right: a corpus of simulated trainings with known causes, and its results."""
