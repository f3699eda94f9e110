"""Door 1: models and rules write items from texts."""
