"""Items by rule, from the words of the text alone: no model, no dictionary, no Django, no chance."""
