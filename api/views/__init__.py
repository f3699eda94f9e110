"""Views of the API, one module for each subject. Each looks something up, calls one service and shows the result."""
