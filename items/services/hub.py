"""The bank as a data set for the Hugging Face Hub: items as Parquet, a data set card, and Croissant metadata."""

import hashlib
import json
from collections import Counter
from typing import Any

from items.formats.questions import LeftOut
from items.formats.rows import TextRow
from items.formats.table_writing import choose_columns, describe_item, describe_text, write_parquet_table
from projects.models import Project

DATA = "data/items.parquet"
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
# The contents of each column of the table.
COLUMNS = {
    "text_id": "The id of the reading text",
    "title": "The title of the text",
    "text": "The reading text",
    "language": "The language of the text (BCP 47)",
    "source": "Where the text comes from",
    "genre": "The genre of the text",
    "level": "The level of the text (CEFR)",
    "audience": "Whom the text is for",
    "topic": "The topic of the text",
    "licence": "The licence of the text",
    "shareable": "Whether the text may be redistributed",
    "item_id": "The id of the item",
    "generator": "Who or what wrote the item",
    "question": "The question",
    "correct": "The numbers of the correct options, from 1, parted by semicolons; a word such as none for no option",
    "answer": "The expected answer of an open question",
    "reference": "Whether the item is a reference item",
    "tags": "Tags that researchers gave the item, parted by semicolons",
}
# The context of Croissant 1.0 (http://mlcommons.org/croissant/1.0).
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def build_hub_files(project: Project, texts: list[TextRow]) -> tuple[dict[str, bytes], list[LeftOut]]:
    """The files by path, and what was left out."""
    written = write_parquet_table(texts)
    shared = [text for text in texts if text.body is not None]
    columns = list_columns(shared)
    card = write_card(project, shared, columns)
    metadata = json.dumps(describe_croissant(project, shared, columns, written.content), ensure_ascii=False, indent=2)
    return {DATA: written.content, "README.md": card.encode(), "croissant.json": metadata.encode()}, written.left_out


def list_columns(texts: list[TextRow]) -> list[str]:
    rows = [describe_text(text) for text in texts]
    rows += [describe_item(item) for text in texts for item in text.items]
    return choose_columns(rows)


def describe_column(name: str) -> str:
    return COLUMNS.get(name) or f"Option {name.removeprefix('option_')}"


def list_values(texts: list[TextRow], name: str) -> list[str]:
    """The texts' values of a detail such as their license, the most frequent first."""
    counts = Counter(((text.metadata or {}).get("extra") or {}).get(name) for text in texts)
    return [str(value) for value, _n in counts.most_common() if value]


def choose_size(n: int) -> str:
    return next((name for bound, name in SIZES if n < bound), "n>1M")


def write_card(project: Project, texts: list[TextRow], columns: list[str]) -> str:
    """README.md with its YAML header for the Hub. It is written as JSON, which is valid YAML, so that no title becomes
    markup."""
    n_items = sum(len(text.items) for text in texts)
    generators = Counter(item.generator or "" for text in texts for item in text.items)
    languages, licences = sorted({text.language or "" for text in texts} - {""}), list_values(texts, "licence")
    head = {
        "pretty_name": project.title,
        "language": languages,
        "license": "other",
        **({"license_name": licences[0]} if len(licences) == 1 else {}),
        "task_categories": ["multiple-choice", "question-answering"],
        "size_categories": [choose_size(n_items)],
        "configs": [{"config_name": "default", "data_files": [{"split": "test", "path": DATA}]}],
    }
    yaml = "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items())
    lines = [
        "---", yaml, "---", "", f"# {make_line(project.title)}", "",
        f"Reading-comprehension items: {n_items}. Texts: {len(texts)}.", "",
        "| generator | items |", "| --- | ---: |",
        *(f"| {make_line(name)} | {n} |" for name, n in generators.most_common()), "",
        "| column | meaning |", "| --- | --- |",
        *(f"| `{name}` | {describe_column(name)} |" for name in columns), "",
        "Licences of the texts: " + (", ".join(map(make_line, licences)) or "not stated") + ".",
        "Sources: " + (", ".join(map(make_line, list_values(texts, "source")[:50])) or "not stated") + ".",
        "", "Texts that may not be redistributed are left out with their items (`left-out.csv`).", "",
    ]  # fmt: skip
    return "\n".join(lines)


def make_line(words: str) -> str:
    """The words as one line, with the signs of Markdown escaped."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>#|~$!&" else sign for sign in " ".join(words.split()))


def describe_croissant(project: Project, texts: list[TextRow], columns: list[str], content: bytes) -> dict[str, Any]:
    """Croissant 1.0: the file, and one record set with a field for each column."""
    licences = list_values(texts, "licence")
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"items/{name}",
            "name": name,
            "description": describe_column(name),
            "dataType": "sc:Text",
            "source": {"fileObject": {"@id": "items.parquet"}, "extract": {"column": name}},
        }
        for name in columns
    ]
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": project.slug,
        "description": project.description or f"Reading-comprehension items: {project.title}",
        "inLanguage": sorted({text.language or "" for text in texts} - {""}),
        **({"license": licences} if licences else {}),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": "items.parquet",
                "name": "items.parquet",
                "contentUrl": DATA,
                "encodingFormat": "application/x-parquet",
                "sha256": hashlib.sha256(content).hexdigest(),
            }
        ],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "items", "name": "items", "field": fields}],
    }
