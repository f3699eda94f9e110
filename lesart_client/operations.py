"""The operations of the API. A server documents them with all parameters at /api/v1/docs/."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lesart_client import shapes
from lesart_client.requests import (
    Request,
    get,
    listing,
    operation,
    post,
    read_bytes,
    read_frame,
    read_json,
    read_nothing,
    read_results,
    send_file,
)

if TYPE_CHECKING:
    import pandas as pd


def in_project(project: str, *parts: object) -> str:
    return "/".join(["projects", project, *(quote(str(part), safe="") for part in parts)])


def in_study(study: str, *parts: object) -> str:
    return "/".join(["studies", study, *map(str, parts)])


class Operations:
    """Shared by both clients."""

    @operation
    def me() -> Request[dict[str, Any]]:
        """The person and the scopes of the token."""
        return get("", read_json)

    # Projects and their texts

    @listing
    def projects() -> Request[list[shapes.Project]]:
        return get("projects/", read_results)

    @operation
    def create_project(slug: str, *, title: str, description: str | None = None) -> Request[shapes.Project]:
        return post("projects/", read_json, {"slug": slug, "title": title, "description": description})

    @listing
    def texts(project: str, *, sort: str | None = None, **filters: Any) -> Request[list[shapes.TextRow]]:
        """filters: q, language, source, split, generator, tag, flag."""
        return get(in_project(project, "texts") + "/", read_results, sort=sort, **filters)

    @operation
    def text(project: str, text: str) -> Request[shapes.Text]:
        """A text with its items, by its own id."""
        return get(in_project(project, "texts", text) + "/", read_json)

    @operation
    def add_text(project: str, text: shapes.Text) -> Request[shapes.Text]:
        return post(in_project(project, "texts") + "/", read_json, text)

    @listing
    def items(project: str, **filters: Any) -> Request[list[shapes.Item]]:
        """filters: q, text_id, generator, tag."""
        return get(in_project(project, "items") + "/", read_results, **filters)

    @operation
    def tag_items(
        project: str, items: Sequence[str], *, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> Request[dict[str, Any]]:
        """Add and remove tags of items, by id; returns the tags of the project with their numbers of items."""
        values = {"items": list(items), "add": list(add), "remove": list(remove)}
        return post(in_project(project, "tags") + "/", read_json, values)

    @operation
    def duplicates(project: str) -> Request[dict[str, Any]]:
        """Items that are nearly equal, and those that a benchmark contains; waits while a worker compares."""
        return get(in_project(project, "duplicates") + "/", read_json, waits=True)

    @operation
    def add_item(project: str, item: shapes.Item) -> Request[shapes.Item]:
        """An item about the text with the id `text_id`."""
        return post(in_project(project, "items") + "/", read_json, item)

    @operation
    def import_items(
        project: str,
        name: str,
        content: bytes,
        *,
        format: str | None = None,
        generator: str | None = None,
        language: str | None = None,
        mapping: Mapping[str, str] | None = None,
        update: bool = False,
        dry_run: bool = False,
    ) -> Request[shapes.Imported]:
        """Import a file of texts and items, all or nothing; waits for a large one. Its name determines the format.

        mapping: fields by columns of a table, such as {"Frage": "question"}; other columns are recognized by name.
        """
        values = {"format": format, "generator": generator, "language": language, "update": update, "dry_run": dry_run}
        values["mapping"] = None if mapping is None else json.dumps(dict(mapping))
        request: Request[shapes.Imported] = send_file(
            in_project(project, "imports") + "/", read_json, name, content, **values
        )
        return replace(request, waits=True)

    @operation
    def undo_import(project: str, number: int) -> Request[None]:
        """Delete everything that an import added; `number` is in the reply of `import_items`."""
        return Request("DELETE", in_project(project, "imports", number) + "/", read_nothing, waits=True)

    @operation
    def export_items(project: str, **selection: Any) -> Request[bytes]:
        """Current texts and items as JSON lines; selection: the filters of `texts`, `sample`, `by`, `seed`."""
        return get(in_project(project, "bank.jsonl"), read_bytes, **selection)

    @operation
    def export_questions(project: str, format: str, **selection: Any) -> Request[bytes]:
        """A ZIP: the items in another tool's format (gift, moodle, qti, csv …), and a list of what it cannot hold.

        selection: the filters of `texts`, `sample`, `by`, `seed`, `bom`.
        """
        return get(in_project(project, f"bank-{format}.zip"), read_bytes, **selection)

    @operation
    def generate(project: str, model: str, **choices: Any) -> Request[shapes.Generated]:
        """Let a model, or `cloze`, write items; choices: texts, items, options, instrument, budget, confirm_cost …"""
        return post(in_project(project, "generate") + "/", read_json, {"model": model} | choices)

    @operation
    def score(
        project: str, texts: Sequence[shapes.Text], evaluators: Sequence[Mapping[str, Any]], **choices: Any
    ) -> Request[shapes.StartedScoring]:
        """Let baselines and models judge items; choices: language, budget, confirm_cost, dry_run. See `scoring`."""
        return post(
            in_project(project, "scores") + "/", read_json, {"texts": texts, "evaluators": evaluators} | choices
        )

    @operation
    def scoring(project: str, scoring: int) -> Request[shapes.Scoring]:
        """The numbers of a scoring so far; `wait_for_scoring` waits for its models."""
        return get(in_project(project, "scores", scoring) + "/", read_json)

    @operation
    def export_project(project: str) -> Request[shapes.Job]:
        """Request the archive of a whole project: wait for the job, then download it with `project_archive`."""
        return post(in_project(project, "archive") + "/", read_json)

    @operation
    def project_archive(project: str) -> Request[bytes]:
        return get(in_project(project, "archive.zip"), read_bytes)

    @operation
    def import_project(content: bytes, *, slug: str | None = None) -> Request[shapes.Job]:
        """Import an archive as a new project of yours: wait for the job, which then names the project."""
        return send_file("project-imports/", read_json, "project.zip", content, slug=slug)

    # Studies

    @listing
    def studies(project: str, *, state: str | None = None) -> Request[list[shapes.Study]]:
        return get(in_project(project, "studies") + "/", read_results, state=state)

    @operation
    def study(study: str) -> Request[shapes.Study]:
        return get(in_study(study) + "/", read_json)

    @operation
    def create_study(project: str, spec: Mapping[str, Any]) -> Request[shapes.Study]:
        """A draft; `spec` has the contents of a study file."""
        return post(in_project(project, "studies") + "/", read_json, spec)

    @operation
    def launch_study(study: str) -> Request[shapes.Study | shapes.Job]:
        """The study; for more than 5,000 assignments the job that launches it: wait for that."""
        return post(in_study(study, "launch") + "/", read_json)

    @operation
    def pause_study(study: str) -> Request[shapes.Study]:
        return post(in_study(study, "pause") + "/", read_json)

    @operation
    def resume_study(study: str) -> Request[shapes.Study]:
        return post(in_study(study, "resume") + "/", read_json)

    @operation
    def close_study(study: str) -> Request[shapes.Study]:
        return post(in_study(study, "close") + "/", read_json)

    @operation
    def delete_draft(study: str) -> Request[None]:
        return Request("DELETE", in_study(study) + "/", read_nothing)

    @operation
    def add_texts(study: str, texts: Sequence[str], *, finished_too: bool = False) -> Request[shapes.AddedTexts]:
        """More texts of the project, by id, for a running study."""
        return post(in_study(study, "texts") + "/", read_json, {"texts": list(texts), "finished_too": finished_too})

    @operation
    def people_texts(study: str) -> Request[list[shapes.DrawnText]]:
        """The texts drawn for people and the others, with their probabilities."""
        return get(in_study(study, "people-texts") + "/", read_results)

    @operation
    def draw_more_texts(study: str, n: int) -> Request[list[shapes.DrawnText]]:
        return post(in_study(study, "people-texts") + "/", read_results, {"n": n})

    @operation
    def compare_studies(study: str, other: str) -> Request[dict[str, Any]]:
        """How two studies rank the items that both ask about, and each one's reliability per hour."""
        query: dict[str, Any] = {"with": other}
        return get(in_study(study, "compare") + "/", read_json, **query)

    @operation
    def annotators(study: str) -> Request[list[shapes.Annotator]]:
        return get(in_study(study, "annotators") + "/", read_results)

    @operation
    def add_annotators(
        study: str, *, count: int | None = None, people: Sequence[str] | None = None, group: str | None = None
    ) -> Request[list[shapes.Link]]:
        """New annotators with their personal links."""
        values = {"count": count, "people": None if people is None else list(people), "group": group}
        return post(in_study(study, "annotators") + "/", read_results, values)

    @operation
    def links(study: str) -> Request[list[shapes.Link]]:
        return get(in_study(study, "links") + "/", read_results)

    @operation
    def import_responses(
        study: str,
        name: str,
        content: bytes,
        *,
        mapping: str | None = None,
        partial: bool = False,
        dry_run: bool = False,
    ) -> Request[shapes.ResponseCounts]:
        """Finished judgments into a draft, which becomes an imported study; waits for a large file.

        mapping: names of other columns, a line each, such as “annotator = Rater”.
        """
        values = {"mapping": mapping, "partial": partial, "dry_run": dry_run}
        address = in_study(study, "responses/import") + "/"
        request: Request[shapes.ResponseCounts] = send_file(address, read_json, name, content, **values)
        return replace(request, waits=True)

    # Models

    @operation
    def evaluators(study: str) -> Request[list[shapes.Evaluator]]:
        return get(in_study(study, "evaluators") + "/", read_results)

    @operation
    def evaluate(study: str, model: str, **choices: Any) -> Request[shapes.Evaluator]:
        """Let a model or a baseline answer; choices: label, stages, reading, prompt, budget, confirm_cost …"""
        return post(in_study(study, "evaluators") + "/", read_json, {"model": model} | choices)

    @listing
    def runs(project: str, *, state: str | None = None) -> Request[list[shapes.Run]]:
        return get(in_project(project, "runs") + "/", read_results, state=state)

    @operation
    def run(run: int) -> Request[shapes.Run]:
        return get(f"runs/{run}/", read_json)

    @operation
    def resume_run(run: int, *, budget: float | None = None) -> Request[shapes.Run]:
        """Continue a paused run; without a budget it keeps the one that it has."""
        return post(f"runs/{run}/resume/", read_json, {"budget": budget})

    @operation
    def cancel_run(run: int) -> Request[shapes.Run]:
        return post(f"runs/{run}/cancel/", read_json)

    # Results: choices are include, convention, texts, calibration, answers, drop and dif_by, as on the results page

    @operation
    def results(study: str, **choices: Any) -> Request[shapes.Results]:
        """The sentences of the results, and the names of their tables and figures."""
        return get(in_study(study, "results") + "/", read_json, waits=True, **choices)

    @operation
    def table(study: str, name: str, ending: str = "csv", **choices: Any) -> Request[bytes]:
        """A table as csv, json or tex."""
        return get(in_study(study, "tables", f"{name}.{ending}"), read_bytes, waits=True, **choices)

    @operation
    def table_frame(study: str, name: str, **choices: Any) -> Request[pd.DataFrame]:
        """A table as a pandas frame; undefined numbers are NaN, and the column `reason` gives the reason."""
        return get(in_study(study, "tables", f"{name}.csv"), read_frame, waits=True, **choices)

    @operation
    def figure(study: str, name: str, ending: str = "svg", **choices: Any) -> Request[bytes]:
        """A figure as svg, png, pdf or vl.json."""
        return get(in_study(study, "figures", f"{name}.{ending}"), read_bytes, waits=True, **choices)

    @operation
    def responses(study: str, kind: str = "csv", **choices: Any) -> Request[bytes]:
        """Single answers as csv, wide, jsonl …; item-evaluation wants `evaluator` and `stage`."""
        return get(in_study(study, "responses", kind) + "/", read_bytes, waits=True, **choices)

    @operation
    def responses_frame(study: str, **choices: Any) -> Request[pd.DataFrame]:
        """Single answers as a pandas frame, one row each."""
        return get(in_study(study, "responses/csv") + "/", read_frame, waits=True, **choices)

    @operation
    def build_pack(study: str) -> Request[shapes.Job]:
        """Request a replication pack: wait for the job, then download it with `pack`."""
        return post(in_study(study, "pack") + "/", read_json)

    @operation
    def pack(study: str) -> Request[bytes]:
        return get(in_study(study, "pack.zip"), read_bytes)

    @operation
    def job(job: int) -> Request[shapes.Job]:
        return get(f"jobs/{job}/", read_json)
