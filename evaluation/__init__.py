"""Door 3: models and baselines answer a study, through the same gate as people."""
