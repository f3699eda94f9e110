"""Models as judges: of pairs, of scores on dimensions, and through the gates of a questionnaire."""
