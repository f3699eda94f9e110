"""Models of the transformers library, answered in the process of the worker: one more way to reach a model, no more.

What comes of it is a chat completion as a server would send it, so ledger, reading and pages know no difference. The
packages are an optional extra (requirements-local.txt); nothing here imports them before a model is asked.
"""
