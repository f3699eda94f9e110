"""What tests of models in process share: a folder that is allowed, and a forward pass by hand."""

import math
from functools import cache
from pathlib import Path


@cache
def load_model(folder: Path):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)


def next_token_shares(folder: Path, text: str) -> dict[str, float]:
    """Written token -> probability as the very next one, straight from the library."""
    import torch

    model, tokenizer = load_model(folder)
    with torch.no_grad():
        logits = model(torch.tensor([tokenizer(text)["input_ids"]])).logits[0, -1].double()
    found: dict[str, float] = {}
    for number, share in enumerate(logits.softmax(0).tolist()):
        word = tokenizer.decode([number])
        found[word] = found.get(word, 0.0) + share
    return found


def p_true_by_hand(folder: Path, text: str, true: str = "R", false: str = "F") -> float:
    """P(true) / (P(true) + P(false)) at the first token, over all that are the label but for blanks and case."""
    shares = next_token_shares(folder, text)
    summed = [
        math.fsum(share for word, share in shares.items() if word.strip().lower() == label.lower())
        for label in (true, false)
    ]
    return summed[0] / sum(summed)
