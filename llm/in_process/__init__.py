"""Models of the transformers library that answer in the worker's process: just another way to reach a model.

The result is a chat completion like a server's, so ledger, parsing and pages treat it the same. The packages are an
optional extra (requirements-local.txt), imported when a model is first asked.
"""
