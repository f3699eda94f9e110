"""The door for people: the pages an annotator sees."""
