"""Models and rules write items from texts."""
