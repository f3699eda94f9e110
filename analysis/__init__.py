"""The analysis of answers: frames, measures, reports, results pages and exports."""
