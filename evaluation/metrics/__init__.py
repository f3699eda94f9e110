"""Automatic metrics: pure functions of a question, its text and its reference questions. No Django."""
