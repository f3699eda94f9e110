"""One model at a time in a process, loaded when it is first asked."""

import hashlib
import logging
import os
import threading
from pathlib import Path
from typing import Any

from django.conf import settings

from llm.in_process.places import may_download
from llm.in_process.tokens import Vocabulary
from llm.in_process.writing import Speaker

log = logging.getLogger(__name__)
at_work = threading.Lock()
"""Held while the model is loaded or writes: it computes one reply after another."""
_loaded: dict[str, Speaker] = {}


class CannotLoad(Exception):
    """There is no model that could be loaded; the sentence says why."""


def speaker_of(where: str) -> Speaker:
    """The model of that folder or name; another one that was loaded before makes room. To be called `at_work`."""
    if where not in _loaded:
        _loaded.clear()
        _loaded[where] = _load(where)
    return _loaded[where]


def _load(where: str) -> Speaker:
    is_remote = may_download(where)
    if not settings.LESART_HUB_MODELS:
        os.environ["HF_HUB_OFFLINE"] = "1"  # read when the packages are imported
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    log.info("Loading the model %s%s.", where, ", which may be downloaded first" if is_remote else "")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    torch.set_num_threads(settings.LESART_TORCH_THREADS)
    has_card = torch.cuda.is_available()
    common: dict[str, Any] = {"local_files_only": not is_remote, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(where, **common)
        # Only safetensors: older weight files are programs. Half precision is slow on most processors.
        model = AutoModelForCausalLM.from_pretrained(
            where, use_safetensors=True, dtype="auto" if has_card else torch.float32, **common
        )
    except Exception as error:  # the library raises what its parts raise
        raise CannotLoad(f"{where} holds no model that could be loaded: {type(error).__name__}: {error}") from error
    model = model.to("cuda" if has_card else "cpu").eval()
    return Speaker(
        model, tokenizer, Vocabulary(tokenizer, _n_tokens(model)), _context(model), _fingerprint(where, model)
    )


def _n_tokens(model: Any) -> int:
    """Over how many tokens its probabilities are: often more than the tokenizer knows."""
    weight = getattr(model.get_output_embeddings(), "weight", None)
    return int(model.config.get_text_config().vocab_size if weight is None else weight.shape[0])


def _context(model: Any) -> int | None:
    """How many tokens prompt and reply may have together; None where the model does not say."""
    most = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    return most if isinstance(most, int) and most > 0 else None


def _fingerprint(where: str, model: Any) -> str:
    """Tells apart what is in the folder now from what may be there later: of a downloaded one the hub's own number."""
    if may_download(where):
        return str(getattr(model.config, "_commit_hash", None) or "")[:12]
    found = hashlib.sha256()
    for path in sorted(Path(where).glob("*.safetensors")):
        with open(path, "rb") as file:
            found.update(hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()[:12]
