"""A small study of each protocol whose results page has all its figures, and the names of these."""

from itertools import combinations, product

from studies.services.responses.importing import import_responses
from tests import dimensions, pairs, stopping
from tests.analysis.test_metric_tables import FAR, NEAR, plant
from tests.factory import answer, make_annotator, make_item, make_study, make_text
from tests.made_once import made_once
from tests.studies.answer_files import as_csv

GUESSED = {"ada": "TFT FFT TTF TFF", "ben": "FTF TFF TFT FFF", "gpt-x": "TTT FTF TFF TFT"}
READ = {"ada": "TFF TFF TTF TFF", "ben": "TFF TFF TFT TFF", "gpt-x": "TFF FTF TFF TFF"}


@made_once
def guess_then_read(project):
    """Two generators in three texts, two people and a model; no wording says anything."""
    items = [
        make_item(text, name, f"{name}-{text.external_id}", "TFF")
        for text in (make_text(project, f"t{place}") for place in range(4))
        for name in ("careful", "hurried")
    ]
    study = make_study(project, "guesses", items)
    for place, name in enumerate(GUESSED):
        kind = {"kind": "model", "model": name} if name == "gpt-x" else {}
        annotator = make_annotator(study, name, **kind)
        for order, item in enumerate(items):
            guesses, reads = GUESSED[name].split(), READ[name].split()
            answer(annotator, "guess", item, guesses[(order + place) % 4])
            answer(annotator, "read", item, reads[order % 3], rating=1 + (order * (place + 2)) % 5)
    return study


def import_rows(study, rows):
    import_responses(study, as_csv(rows))
    return study


@made_once
def dimension_ratings(project):
    study = dimensions.import_study(project)
    plant(project, "near", NEAR)
    plant(project, "far", FAR)
    return study


@made_once
def stopping_questionnaire(project):
    return stopping.import_study(project)


@made_once
def pairwise(project):
    pairs.make_bank(project)
    ids = [f"-{name}-{place}" for name, place in product(pairs.GENERATORS, range(pairs.ITEMS))]
    rows = [
        {"annotator": f"ann{seat}", "stage": "compare", "question": "better", "item_id": one, "other_item_id": other}
        | {"value": pairs.true_preference(seat, one, other), "shown_left": one}
        for text, seat in product(range(3, 3 + pairs.TEXTS - 2), range(3))
        for one, other in combinations([f"p{text}{end}" for end in ids], 2)
        if pairs.generator_of(one) != pairs.generator_of(other)
    ]
    return import_rows(pairs.draft_study(project), rows)


FIGURES = {
    guess_then_read: ["dumbbell", "ratings", "accuracy_by_rating"],
    dimension_ratings: ["generator_means", "dimension_correlations", "metric_correlations", "metric_by_score"],
    stopping_questionnaire: [
        "flow",
        "label_distributions",
        "labels_by_group_and_source",
        "applicable_labels_by_group_and_source",
    ],
    pairwise: ["ranking", "wins"],
}
