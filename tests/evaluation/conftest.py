"""A study with two texts, in words that matchers can be held against, and one to learn a majority from."""

import pytest

from items.models import Item, Option, Text
from studies.models import Response
from tests.factory import make_generator, make_study, make_text


@pytest.fixture
def write():
    """A function that makes an item from its options; those that begin with * are keys."""

    def make(text: Text, external_id: str, *options: str, generator: str = "hand") -> Item:
        item = Item.objects.create(
            project=text.project,
            text=text,
            generator=make_generator(text.project, generator),
            external_id=external_id,
            stem=f"Frage {external_id}?",
        )
        for place, wording in enumerate(options):
            Option.objects.create(
                item=item,
                external_id="abcdefgh"[place],
                position=place,
                text=wording.removeprefix("*"),
                correct=wording.startswith("*"),
            )
        return item

    return make


@pytest.fixture
def bank(project, write) -> list[Item]:
    """Two texts, three items, eight options: 1 of 3 and 2 of 2 keys on the first, 1 of 3 on the second."""
    river = make_text(project, "river", body="Der Fluss fließt\n  durch die   GRÜNE Stadt.", language="de")
    castle = make_text(project, "castle", body="Die alte Burg steht auf dem Berg, nicht im Tal.", language="de")
    return [
        write(river, "r1", "*die grüne  Stadt", "das Meer", "der Wald", generator="hand"),
        write(river, "r2", "*der Fluss", "*die Stadt", generator="rule"),
        write(castle, "c1", "auf dem Berge", "*im Tal", "am See", generator="hand"),
    ]


@pytest.fixture
def study(project, bank):
    return make_study(project, "rivers-1", bank, language="de")


@pytest.fixture
def answer_pattern():
    """A function that gives an evaluator's answers in a stage: item id -> pattern such as "TFF"."""

    def read(code: str, stage: str) -> dict[str, str]:
        rows = Response.objects.filter(assignment__annotator__code=code, stage=stage).order_by("option__position")
        found: dict[str, str] = {}
        for item, value in rows.values_list("item__external_id", "value"):
            found[item] = found.get(item, "") + ("T" if value else "F")
        return found

    return read
