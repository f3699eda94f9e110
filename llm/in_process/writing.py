"""A model of the transformers library writes: prompt in, text and log-probabilities out, token by token."""

import math
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from llm.answers import BLANKS

LEAST = -9999.0  # represents a probability of 0, whose logarithm JSON cannot hold
AT_ONCE = 4096


class Vocabulary:
    """Every token in its written form. Tokens with the same form count as one, with the sum of their probabilities."""

    def __init__(self, tokenizer: Any, size: int):
        self.written = _decode_tokens(tokenizer, size)
        self.alike: dict[str, list[int]] = {}
        for number, word in enumerate(self.written):
            self.alike.setdefault(word, []).append(number)
        self._variants: dict[str, list[str]] = {}

    def variants(self, label: str) -> list[str]:
        """All written tokens that equal the label except for spaces around it and case: those that `read_probability`
        sums."""
        if label not in self._variants:
            wanted = label.casefold()
            self._variants[label] = [word for word in self.alike if word.strip(BLANKS).casefold() == wanted]
        return self._variants[label]

    def describe(self, logprobs: Any, chosen: int, n_top: int, labels: Sequence[str]) -> dict[str, Any]:
        """The log-probabilities of the chosen token, the likeliest ones, and every variant of a label at one position.

        `logprobs` is a tensor over the whole vocabulary, in natural logarithms.
        """
        likeliest = logprobs.topk(min(n_top, len(self.written))).indices.tolist() if n_top else []
        words = dict.fromkeys(self.written[number] for number in likeliest)
        words |= dict.fromkeys(word for label in labels for word in self.variants(label))
        top = sorted(((self._get_logprob(word, logprobs), word) for word in words), key=lambda pair: -pair[0])
        word = self.written[chosen]
        return {
            "token": word,
            "logprob": self._get_logprob(word, logprobs),
            "top_logprobs": [{"token": word, "logprob": value} for value, word in top],
        }

    def _get_logprob(self, word: str, logprobs: Any) -> float:
        value = float(logprobs[self.alike[word]].logsumexp(0))
        return LEAST if math.isnan(value) else min(max(value, LEAST), 0.0)


def _decode_tokens(tokenizer: Any, size: int) -> list[str]:
    """The text of each token, with the space before it, which some tokenizers drop when they decode a token alone."""
    pieces = tokenizer.convert_ids_to_tokens(list(range(min(size, len(tokenizer)))))
    words: list[str] = []
    for start in range(0, len(pieces), AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, len(pieces)))
        words += tokenizer.batch_decode([[number] for number in numbers], clean_up_tokenization_spaces=False)
    words = [
        f" {word}" if str(piece).startswith("▁") and not word.startswith(" ") else word
        for piece, word in zip(pieces, words, strict=True)
    ]
    # Models have outputs for more tokens than the tokenizer has; the extra ones are no words.
    return words + [f"<{number}>" for number in range(len(words), size)]


class TooLong(ValueError):
    """The prompt leaves no room for a reply."""


class GenerationCancelled(Exception):
    """Nobody waits for the reply any more."""


@dataclass(frozen=True)
class GenerationRequest:
    """The request for one reply. `labels`: words whose probability is reported at every position, whatever their
    rank."""

    messages: Sequence[dict[str, Any]]
    most: int
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int | None = None
    n_top: int | None = None  # None: no log-probabilities
    labels: Sequence[str] = ()


@dataclass
class Generation:
    text: str
    is_whole: bool
    n_in: int
    n_out: int
    places: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class LoadedModel:
    """A loaded model with its tokenizer."""

    model: Any
    tokenizer: Any
    vocabulary: Vocabulary
    most_tokens: int | None
    fingerprint: str

    def write(self, request: GenerationRequest, stop: threading.Event) -> Generation:
        """Write one reply. Raises TooLong, or GenerationCancelled once `stop` is set."""
        ids = self.tokenize(request.messages)
        max_new = self._fit_length(ids, request.most)
        chosen, places, is_whole = [], [], False
        for number, logprobs in self._steps(ids, max_new, request, stop):
            if number in self._end_tokens:
                is_whole = True
                break
            chosen.append(number)
            if request.n_top is not None:
                places.append(self.vocabulary.describe(logprobs, number, request.n_top, request.labels))
        text = self.tokenizer.decode(chosen, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return Generation(text, is_whole, len(ids), len(chosen), places)

    def tokenize(self, messages: Sequence[dict[str, Any]]) -> list[int]:
        """The prompt in tokens: formatted by the model's own chat template, else the plain messages one after another.
        A template that refuses raises ValueError."""
        if not self.tokenizer.chat_template:
            return list(self.tokenizer("\n\n".join(str(message["content"]) for message in messages))["input_ids"])
        try:
            words = self.tokenizer.apply_chat_template(list(messages), add_generation_prompt=True, tokenize=False)
        except Exception as error:  # templates may raise any kind of error
            raise ValueError(f"The chat template of the model refuses the messages: {error}") from error
        return list(self.tokenizer(words, add_special_tokens=False)["input_ids"])

    @property
    def has_encoder(self) -> bool:
        """Whether it reads the prompt with an encoder and writes with a decoder, as BART and T5 do."""
        return bool(self.model.config.is_encoder_decoder)

    def _fit_length(self, ids: Sequence[int], most: int) -> int:
        """The maximum tokens of the reply. With an encoder, the prompt takes no room from the reply."""
        if self.most_tokens is None:
            return most
        max_new = self.most_tokens - (0 if self.has_encoder else len(ids))
        if max_new < 1 or len(ids) > self.most_tokens:
            sentence = "The prompt is too long: {} tokens, and the maximum context is {}{}."
            raise TooLong(sentence.format(len(ids), self.most_tokens, "" if self.has_encoder else " with the reply"))
        return min(most, max_new)

    def _start_inputs(self, ids: list[int]) -> tuple[str, list[int], dict[str, Any]]:
        """The name of the input that grows token by token, its beginning, and the other inputs of each step."""
        import torch

        if not self.has_encoder:
            return "input_ids", ids, {}
        prompt = torch.tensor([ids], device=self.model.device)
        mask = torch.ones_like(prompt)
        with torch.inference_mode():
            read = self.model.get_encoder()(input_ids=prompt, attention_mask=mask)
        settings = self.model.generation_config
        first = [settings.decoder_start_token_id, settings.forced_bos_token_id]
        begin = [number for number in first if number is not None]
        return "decoder_input_ids", begin, {"encoder_outputs": read, "attention_mask": mask}

    @property
    def _end_tokens(self) -> set[int]:
        ends = getattr(self.model.generation_config, "eos_token_id", None)
        numbers = ends if isinstance(ends, list) else [ends]
        return {number for number in (*numbers, self.tokenizer.eos_token_id) if number is not None}

    def _steps(
        self, ids: list[int], max_new: int, request: GenerationRequest, stop: threading.Event
    ) -> Iterator[tuple[int, Any]]:
        """Yield each chosen token with the log-probabilities of the whole vocabulary, which are those at temperature 1
        whatever the temperature of the request."""
        import torch

        device = self.model.device
        random_source = torch.Generator(device="cpu")
        random_source.manual_seed(int.from_bytes(os.urandom(7)) if request.seed is None else request.seed)
        growing, begin, common = self._start_inputs(ids)
        all_ids, fresh, kept = torch.tensor([begin], device=device), torch.tensor([begin], device=device), None
        for _step in range(max_new):
            if stop.is_set():
                raise GenerationCancelled
            with torch.inference_mode():
                out = self.model(**{growing: fresh}, **common, past_key_values=kept, use_cache=True)
            logits = out.logits[0, -1].float().cpu()
            number = _choose_token(logits, request, random_source)
            yield number, logits.log_softmax(0)
            added = torch.tensor([[number]], device=device)
            all_ids, kept = torch.cat([all_ids, added], dim=1), getattr(out, "past_key_values", None)
            fresh = all_ids if kept is None else added  # a model without a cache reads everything again


def _choose_token(logits: Any, request: GenerationRequest, random_source: Any) -> int:
    """The most likely token at temperature 0, else one drawn from those that hold `top_p` of the probability."""
    if request.temperature <= 0:
        return int(logits.argmax())
    shares, order = (logits / request.temperature).softmax(0).sort(descending=True)
    if request.top_p < 1:
        shares = shares.masked_fill(shares.cumsum(0) - shares >= request.top_p, 0.0)
    return int(order[shares.multinomial(1, generator=random_source)])
