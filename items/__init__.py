"""What is asked about: texts, items, options and generators; import and export of the bank."""
