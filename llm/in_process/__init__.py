"""Models of the transformers library, answered in the process of the worker: one more way to reach a model, no more.

The result is a chat completion as a server would send it, so ledger, parsing and pages treat it the same. The
packages are an optional extra (requirements-local.txt); nothing here imports them before a model is asked.
"""
