"""The pages that an annotator sees."""
