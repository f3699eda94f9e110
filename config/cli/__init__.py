"""The `./lesart` command: sets itself up, runs the product under one supervisor, and runs the tests."""
