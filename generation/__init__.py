"""Models and rules that write items from texts."""
