"""What of a page is searched for leaks."""

import re

TOKENS = re.compile(rb'name="(?:csrfmiddleware)?token" value="[^"]*"')


def without_tokens(page: bytes) -> bytes:
    """A page without its random tokens: any short code, such as P02, may occur in one by accident."""
    return TOKENS.sub(b"", page)
