"""Checks stand on the page, passed ones too."""

from bs4 import BeautifulSoup
from django.urls import reverse

from analysis.choices import Choices
from analysis.services.reporting import build
from tests.factory import answer, make_annotator, make_item, make_study, make_text


def list_checks(study):
    return {check.sentence: check.passed for check in build(study, Choices()).checks}


def test_a_study_as_it_should_be_passes_all(two_annotators):
    assert list_checks(two_annotators) == {
        "No key was corrected after launch.": True,
        "No pilot or simulated answers are left out.": True,
        "Answers are about 2 texts, so there are intervals by texts.": True,
        "Every item has answers of at least two people.": True,
        "Every generator has the same number of items on each text.": True,
    }


def test_what_is_not_as_it_should_be_is_said(project):
    text = make_text(project, "t")
    items = [make_item(text, name, f"{name}{n}") for name, n in (("ann", 1), ("ann", 2), ("bob", 1))]
    study = make_study(project, "s", items)
    ada, ben = make_annotator(study, "ada"), make_annotator(study, "ben")
    for person, chosen in ((ada, items), (ben, items[:1])):
        for item in chosen:
            answer(person, "read", item, "TF")
    answer(make_annotator(study, "pip", purpose="pilot"), "read", items[0], "TF")
    assert [check for check, passed in list_checks(study).items() if not passed] == [
        "Answers that are not included: 2 of pilots.",
        "All answers are about one text, so there are no intervals by texts.",
        "2 of 3 items have answers of fewer than two people, so agreement does not cover them.",
        "Generators have different numbers of items per text.",
    ]


def test_no_answers_no_checks(tiny):
    assert not list_checks(tiny)


def test_passed_checks_are_on_the_page(two_annotators, as_user, viewer):
    html = as_user(viewer).get(reverse("results_details", args=["tiny"])).content.decode()
    (line,) = [each for each in BeautifulSoup(html, "html.parser").select("#checks li") if "No key was" in each.text]
    assert " ".join(line.text.split()) == "passed: No key was corrected after launch."
    assert line["class"] == ["ok"]
