"""Files of finished judgments, built row by row."""

import csv
import io
import json
from typing import Any

COLUMNS = ("annotator", "group", "stage", "text_id", "item_id", "option_id", "question", "value", "unsure")


def make_option_rows(annotator: str, stage: str, item: str, ticked: str = "a", **fields: Any) -> list[dict[str, Any]]:
    """The rows of one item with the options a, b and c, of which `ticked` are ticked."""
    shared = {"annotator": annotator, "stage": stage, "text_id": item.split("-")[0], "item_id": item} | fields
    answers = [
        shared | {"option_id": option, "question": "answer", "value": "true" if option in ticked else "false"}
        for option in "abc"
    ]
    rating = shared | {"question": "rating", "value": "4"}
    return [*answers, rating] if stage == "read" and fields.get("annotator_kind", "human") == "human" else answers


def whole(annotator: str = "P01", guessed: str = "t1-alder-1", **fields: Any) -> list[dict[str, Any]]:
    """Everything one person says about text t1: a guess on one item, then both read."""
    read = [
        row
        for item in ("t1-alder-1", "t1-birch-1")
        for row in make_option_rows(annotator, "read", item, "ab", **fields)
    ]
    return make_option_rows(annotator, "guess", guessed, **fields) + read


def as_csv(rows: list[dict[str, Any]], columns: tuple[str, ...] = ()) -> bytes:
    names = columns or tuple(dict.fromkeys([*COLUMNS, *(name for row in rows for name in row)]))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, names, restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def as_jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
