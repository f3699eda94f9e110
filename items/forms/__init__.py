"""Forms of the bank, one module for each subject."""
