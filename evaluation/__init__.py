"""Models and baselines answer a study, through the same service as people."""
