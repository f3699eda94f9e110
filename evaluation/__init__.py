"""Models and baselines that answer a study through the same service as people."""
