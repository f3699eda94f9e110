"""The material of studies: texts, items, options and generators; import and export of the bank."""
