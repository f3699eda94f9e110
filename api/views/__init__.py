"""Views of the API, one module per subject. Each looks something up, calls one service and shows the result."""
