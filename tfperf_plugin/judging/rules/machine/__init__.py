"""Rules about the whole training and the machine below it, from what ``tfperf record`` watched beside it."""
