"""What a visitor of the repository reads first agrees with the code."""

import re
import tomllib

import pytest
import yaml

from tests.config.shell import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_citation_names_the_version_of_the_project():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == PROJECT["version"]


def test_the_changelog_has_the_version_and_what_is_unreleased():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert headings[0] == "Unreleased"
    assert PROJECT["version"] in headings


def test_the_index_of_the_documentation_lists_every_page():
    listed = set(re.findall(r"\]\(([\w.-]+\.md)\)", (ROOT / "docs/README.md").read_text()))
    assert listed == {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}


@pytest.mark.parametrize("page", sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md")))
def test_links_between_pages_lead_somewhere(page):
    words = re.sub(r"(?ms)^```.*?^```|`[^`\n]+`", "", (ROOT / page).read_text())  # examples have links of their own
    targets = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", words)
    assert [target for target in targets if not (ROOT / page).parent.joinpath(target).exists()] == []


def test_a_commit_is_checked_as_ci_checks_it():
    """Every check of .ci/run but the tests is a hook."""
    ci = re.findall(r"^say_and_do \.venv/bin/(\w[\w-]*)", (ROOT / ".ci/run").read_text(), re.M)
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert set(ci) <= {hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in hooks}
