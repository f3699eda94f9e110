"""A model of the transformers library writes: prompt in, text and log-probabilities out, token by token."""

import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from llm.in_process.tokens import Vocabulary


class TooLong(ValueError):
    """The prompt leaves no room for a reply."""


class GivenUp(Exception):
    """Nobody waits for the reply any more."""


@dataclass(frozen=True)
class Wish:
    """What one reply should be. `labels`: words whose probability is told at every place, whatever their rank."""

    messages: Sequence[dict[str, Any]]
    most: int
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int | None = None
    n_top: int | None = None  # None: no log-probabilities
    labels: Sequence[str] = ()


@dataclass
class Written:
    text: str
    is_whole: bool
    n_in: int
    n_out: int
    places: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Speaker:
    """A loaded model with its tokenizer."""

    model: Any
    tokenizer: Any
    vocabulary: Vocabulary
    most_tokens: int | None
    fingerprint: str

    def write(self, wish: Wish, over: threading.Event) -> Written:
        """One reply. TooLong, or GivenUp once `over` is set."""
        ids = self.numbers_of(wish.messages)
        room = wish.most if self.most_tokens is None else min(wish.most, self.most_tokens - len(ids))
        if room < 1:
            said = "The prompt is too long: {} tokens, and the maximum context is {} with the reply."
            raise TooLong(said.format(len(ids), self.most_tokens))
        chosen, places, is_whole = [], [], False
        for number, logprobs in self._steps(ids, room, wish, over):
            if number in self._ends:
                is_whole = True
                break
            chosen.append(number)
            if wish.n_top is not None:
                places.append(self.vocabulary.told(logprobs, number, wish.n_top, wish.labels))
        text = self.tokenizer.decode(chosen, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return Written(text, is_whole, len(ids), len(chosen), places)

    def numbers_of(self, messages: Sequence[dict[str, Any]]) -> list[int]:
        """The prompt in tokens: as the model's own chat template lays it out, else the plain words, one after another.
        A template that refuses raises ValueError."""
        if not self.tokenizer.chat_template:
            return list(self.tokenizer("\n\n".join(str(message["content"]) for message in messages))["input_ids"])
        try:
            words = self.tokenizer.apply_chat_template(list(messages), add_generation_prompt=True, tokenize=False)
        except Exception as error:  # templates raise what they like
            raise ValueError(f"The chat template of the model refuses the messages: {error}") from error
        return list(self.tokenizer(words, add_special_tokens=False)["input_ids"])

    @property
    def _ends(self) -> set[int]:
        told = getattr(self.model.generation_config, "eos_token_id", None)
        numbers = told if isinstance(told, list) else [told]
        return {number for number in (*numbers, self.tokenizer.eos_token_id) if number is not None}

    def _steps(self, ids: list[int], room: int, wish: Wish, over: threading.Event) -> Iterator[tuple[int, Any]]:
        """Token chosen and log-probabilities over the whole vocabulary, at temperature 1 whatever it is drawn at."""
        import torch

        device = self.model.device
        drawing = torch.Generator(device="cpu")
        drawing.manual_seed(int.from_bytes(os.urandom(7)) if wish.seed is None else wish.seed)
        all_ids, fresh, kept = torch.tensor([ids], device=device), torch.tensor([ids], device=device), None
        for _step in range(room):
            if over.is_set():
                raise GivenUp
            with torch.inference_mode():
                out = self.model(input_ids=fresh, past_key_values=kept, use_cache=True)
            logits = out.logits[0, -1].float().cpu()
            number = _choice(logits, wish, drawing)
            yield number, logits.log_softmax(0)
            added = torch.tensor([[number]], device=device)
            all_ids, kept = torch.cat([all_ids, added], dim=1), getattr(out, "past_key_values", None)
            fresh = all_ids if kept is None else added  # a model that keeps nothing reads all of it again


def _choice(logits: Any, wish: Wish, drawing: Any) -> int:
    """The likeliest token at temperature 0, else one drawn from those that have `top_p` of the probability."""
    if wish.temperature <= 0:
        return int(logits.argmax())
    shares, order = (logits / wish.temperature).softmax(0).sort(descending=True)
    if wish.top_p < 1:
        shares = shares.masked_fill(shares.cumsum(0) - shares >= wish.top_p, 0.0)
    return int(order[shares.multinomial(1, generator=drawing)])
