"""Tokens and money. Money is counted in billionths of the endpoint's currency, in whole numbers that add up exactly."""

import json
import math
from decimal import ROUND_CEILING, Decimal

from django.utils.formats import number_format

from llm.models import NANOS, Endpoint
from llm.prompts import Prompt

CHARACTERS_PER_TOKEN = 2.5  # fewer than in any of our languages, so that a reserve covers the bill
DEFAULT_OUTPUT = 1024
NANOS_PER_TOKEN = Decimal(1000)  # a price of 1 per million tokens


def compute_cost(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> int | None:
    """The cost in billionths of the currency, rounded up; None if the endpoint has no price."""
    if endpoint.price_in is None or endpoint.price_out is None:
        return None
    exact = (endpoint.price_in * tokens_in + endpoint.price_out * tokens_out) * NANOS_PER_TOKEN
    return int(exact.to_integral_value(ROUND_CEILING))


def estimate_tokens_in(prompt: Prompt) -> int:
    """The approximate number of tokens of the prompt, overestimated."""
    letters = sum(len(str(message.get("content", ""))) for message in prompt.messages)
    if "response_format" in prompt.params:
        letters += len(json.dumps(prompt.params["response_format"]))
    return math.ceil(letters / CHARACTERS_PER_TOKEN) + 8 * len(prompt.messages)


def get_max_tokens_out(prompt: Prompt) -> int:
    limit = prompt.params.get("max_tokens") or prompt.params.get("max_completion_tokens") or DEFAULT_OUTPUT
    return int(limit) * int(prompt.params.get("n") or 1)


def compute_reserve(endpoint: Endpoint, prompt: Prompt) -> int:
    """The estimated maximum cost of the call; 0 without a price."""
    return compute_cost(endpoint, estimate_tokens_in(prompt), get_max_tokens_out(prompt)) or 0


def format_money(nanos: int | None, currency: str) -> str:
    """Formatted for the active language: two decimals, for small amounts the first two digits that are not 0.

    Empty without a price.
    """
    if nanos is None:
        return ""
    amount = Decimal(nanos) / NANOS
    digits = 2 if amount == 0 else max(2, 1 - amount.adjusted())
    return f"{number_format(amount, digits)} {currency}"


def to_nanos(amount: Decimal) -> int:
    return int((amount * NANOS).to_integral_value(ROUND_CEILING))
