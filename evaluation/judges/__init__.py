"""Models as judges: of pairs, of scores on dimensions, and in stopping questionnaires."""
