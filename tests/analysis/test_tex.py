"""The LaTeX of every table compiles as it is, in three languages; all tables of a study in one document, to be fast."""

import re
import shutil
import subprocess

import pytest
from django.utils import translation

from analysis.choices import Choices
from analysis.services.reporting import build as build_report
from analysis.tables.writers import as_tex_document
from tests import drawn
from tests.drawn_outcomes import draw_study

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX is installed (texlive-latex-base)"),
]
START, END = "% ---- the table\n", "% ---- end of the table\n"
LANGUAGES = ("en", "de", "eu")


def join_documents(documents: list[str]) -> str:
    """One document with the tables of all of them, each on a page of its own."""
    head, tail = documents[0].partition(START)[0], documents[0].partition(END)[2]
    tables = [each.partition(START)[2].partition(END)[0] for each in documents]
    return head + "\\clearpage\n".join(tables) + tail


def best_worst(project):
    return draw_study(project, "best-worst", "winner")


@pytest.mark.parametrize("build", [*drawn.FIGURES, best_worst], ids=lambda build: build.__name__)
def test_every_table_compiles(project, tmp_path, build):
    study, documents = build(project), []
    for language in LANGUAGES:
        with translation.override(language):
            report = build_report(study, Choices(seed=1))
            documents += [as_tex_document(table) for table in report.tables if len(table.rows)]
    assert all(r"\label{tab:" in each for each in documents)
    (tmp_path / "tables.tex").write_text(join_documents(documents))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert run.returncode == 0, run.stdout[-2000:]
    assert (tmp_path / "tables.pdf").stat().st_size > 0
    assert [wide for wide in re.findall(r"Overfull \\[hv]box \(([\d.]+)pt", run.stdout) if float(wide) > 20] == []
    assert len(documents) > 5 * len(LANGUAGES)
