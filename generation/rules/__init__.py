"""Items by rule, from the words of the text alone: without a model, a dictionary, Django or randomness."""
