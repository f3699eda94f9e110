#!/usr/bin/env python
"""Django's command line with Lesart's settings."""

import os
import sys

from config.command_line import run

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.exit(run(sys.argv))
