"""Lets the small local model write and answer the sample project, and writes its replies down.

Usage: python bench/sample_model.py [--anew]. Replaces config/sample/calls.jsonl, which `load_sample` reads. Prompts
with a reply there are not asked again, unless all are to be asked anew: that takes about twenty minutes.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--anew", action="store_true", help="ask every prompt again")
    anew = parser.parse_args().anew
    with tempfile.TemporaryDirectory(prefix="lesart-sample-") as folder:
        os.environ |= {"LESART_DATA": folder, "DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "s" * 50}
        os.environ.pop("DATABASE_URL", None)
        import django

        django.setup()
        write_down({} if anew else None)


def write_down(recorded: dict | None) -> None:
    """`recorded`: the replies that are known; None for those in the file."""
    from django.conf import settings
    from django.core.management import call_command

    from config.cli import model
    from config.management.commands import load_sample
    from llm.models import Call, Run
    from llm.services import endpoints
    from llm.services import recorded as recorded_replies
    from llm.services.draining import drain_here

    if recorded is None:
        recorded = load_sample.read_recorded_replies()
    call_command("migrate", verbosity=0)
    load_sample.ANNOTATORS = 1  # simulated people say nothing to the model
    with model.run_model() as (base_url, key):
        settings.LESART_INSIDE_HOSTS.append(base_url.removeprefix("http://").removesuffix("/v1"))
        load_sample.load(
            endpoints.offer_local_endpoint(base_url, key),
            lambda run: recorded_replies.replay(run, recorded, lambda run: drain_here(run, progress, slice_seconds=20)),
        )
    load_sample.RECORDED.parent.mkdir(exist_ok=True)
    replies = {
        reply["asked"]: reply for run in Run.objects.order_by("pk") for reply in recorded_replies.export_replies(run)
    }
    lines = [json.dumps(reply, ensure_ascii=False, sort_keys=True) + "\n" for reply in replies.values()]
    load_sample.RECORDED.write_text("".join(lines), encoding="utf-8")
    print(f"{len(lines)} replies for {Call.objects.count()} calls, {load_sample.RECORDED.stat().st_size} bytes")


def progress(run) -> None:
    print(run.label, run.calls.open().count(), "to go", flush=True)


if __name__ == "__main__":
    main()
