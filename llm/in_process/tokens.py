"""The vocabulary of a model as the written tokens that a server would send, and their log-probabilities."""

import math
from collections.abc import Sequence
from typing import Any

from llm.probabilities import BLANKS

LEAST = -9999.0  # what stands for a probability of 0, which JSON cannot say as a logarithm
AT_ONCE = 4096


class Vocabulary:
    """Every token as it is written. Tokens that are written alike count as one, whose probability is their sum."""

    def __init__(self, tokenizer: Any, size: int):
        self.written = _written(tokenizer, size)
        self.alike: dict[str, list[int]] = {}
        for number, word in enumerate(self.written):
            self.alike.setdefault(word, []).append(number)
        self._variants: dict[str, list[str]] = {}

    def variants(self, label: str) -> list[str]:
        """All written tokens that are the label but for blanks around it and case: as `read_probability` sums them."""
        if label not in self._variants:
            wanted = label.casefold()
            self._variants[label] = [word for word in self.alike if word.strip(BLANKS).casefold() == wanted]
        return self._variants[label]

    def told(self, logprobs: Any, chosen: int, n_top: int, labels: Sequence[str]) -> dict[str, Any]:
        """One place of a reply: the token chosen, the likeliest ones, and every variant of the labels.

        `logprobs` is a tensor over the whole vocabulary, in natural logarithms.
        """
        likeliest = logprobs.topk(min(n_top, len(self.written))).indices.tolist() if n_top else []
        words = dict.fromkeys(self.written[number] for number in likeliest)
        words |= dict.fromkeys(word for label in labels for word in self.variants(label))
        top = sorted(((self._of(word, logprobs), word) for word in words), key=lambda pair: -pair[0])
        word = self.written[chosen]
        return {
            "token": word,
            "logprob": self._of(word, logprobs),
            "top_logprobs": [{"token": word, "logprob": value} for value, word in top],
        }

    def _of(self, word: str, logprobs: Any) -> float:
        value = float(logprobs[self.alike[word]].logsumexp(0))
        return LEAST if math.isnan(value) else min(max(value, LEAST), 0.0)


def _written(tokenizer: Any, size: int) -> list[str]:
    """A blank before a word is kept, which some tokenizers leave out where a token is decoded alone."""
    pieces = tokenizer.convert_ids_to_tokens(list(range(min(size, len(tokenizer)))))
    words: list[str] = []
    for start in range(0, len(pieces), AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, len(pieces)))
        words += tokenizer.batch_decode([[number] for number in numbers], clean_up_tokenization_spaces=False)
    words = [
        f" {word}" if str(piece).startswith("▁") and not word.startswith(" ") else word
        for piece, word in zip(pieces, words, strict=True)
    ]
    # Models have outputs for more tokens than the tokenizer knows; none of them is a word.
    return words + [f"<{number}>" for number in range(len(words), size)]
