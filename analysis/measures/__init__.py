"""Measures: pure functions on arrays of numbers. No database, no Django, no rounding; undefined is NaN."""
