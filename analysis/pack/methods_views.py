"""The methods paragraph of a study as a page: drafted from its numbers, to be copied."""

import re
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.utils.translation import get_language, override
from django.views.decorators.http import require_safe

from analysis.hiding import effects_shown
from analysis.pack.methods import LANGUAGES, describe_conduct, facts_of, sentences
from analysis.plugins import find_plugin
from analysis.results.forms import ResultsForm
from analysis.results.links import build_query
from analysis.services.cached_evidence import load_evidence
from analysis.services.reporting import versions
from analysis.services.results import counts_by_purpose, report_of

SOFTWARE = """@software{lesart,
  author = {{The Lesart developers}},
  title = {Lesart: a workbench for evaluating reading-comprehension questions},
  version = {%s}
}
"""
SOURCE = re.compile(r"(?P<authors>.+?) \((?P<year>\d{4})\), (?P<title>.+)")


@login_required
@require_safe
@effects_shown()
def results_methods(request, study):
    form = ResultsForm(study, counts_by_purpose(study), request.GET)
    language = request.GET.get("language") or (get_language() or "").partition("-")[0]
    language = language if language in LANGUAGES else LANGUAGES[0]
    with override(language):
        report = report_of(study, form.choices, only_current=True)
        evidence = load_evidence(study, form.choices)
        text = " ".join(filter(None, sentences(facts_of(evidence, report, describe_conduct(evidence)))))
    published = find_plugin(study.protocol).published
    context = {
        "project": study.project,
        "study": study,
        "text": text,
        "language": language,
        "languages": [code for code in LANGUAGES if code != language],
        "bibtex": list_entries(published.source if published else ""),
        "asked": urlencode(build_query(form), doseq=True),
    }
    return render(request, "analysis/methods.html", context)


def list_entries(source: str) -> str:
    """What to cite, as BibTeX: this software, and the study that the protocol comes from."""
    return "\n".join(filter(None, (SOFTWARE % versions()["lesart"], write_entry(source))))


def write_entry(source: str) -> str:
    """A source like “A & B (2024), Title” as an entry; nothing for another one."""
    found = SOURCE.fullmatch(source)
    if found is None:
        return ""
    authors = found["authors"].replace(" et al.", " and others").replace(" & ", " and ").replace(", ", " and ")
    key = re.sub(r"\W", "", found["authors"].split()[0].lower()) + found["year"]
    return (
        f"@misc{{{key},\n  author = {{{authors}}},\n  title = {{{found['title']}}},\n  year = {{{found['year']}}}\n}}\n"
    )
