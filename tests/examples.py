"""How many examples a property is tried on: few, more where the space is large, and at most 20 in a quick run.

The same wherever the tests run, and without a limit of time: a busy machine is no failure. Hypothesis would also try
the constants of all modules that happen to be imported: another test file would mean other examples, and parsing the
modules takes each process 15 seconds.
"""

import os

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

IS_QUICK = bool(os.environ.get("LESART_TEST_QUICK"))
COMMON = {"derandomize": True, "deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
providers.is_local_module_file = lambda path: False
settings.register_profile("suite", max_examples=20 if IS_QUICK else 40, **COMMON)
settings.load_profile("suite")
MANY = settings(max_examples=20 if IS_QUICK else 100)
