"""Markup and pictures on the pages of annotators: each picture only while the page at hand shows it."""

import re

import pytest
from django.urls import reverse

from items.models import Option, Picture, Text
from items.pictures import read_picture, store_pictures
from studies.models import Assignment
from studies.services.rights import list_own_answers, write_own_answers
from tests.annotation.world import Walker, make_live_study, make_secret_item
from tests.pictures import make_png

pytestmark = pytest.mark.slow

ADDRESS = re.compile(r'/work/[^"]+/pictures/\w+/')


@pytest.fixture
def study(project):
    """A text that shows one picture, an item that shows another in an option."""
    pictures = {"secret-map.png": read_picture(make_png()), "secret-sign.png": read_picture(make_png(colour="blue"))}
    store_pictures(project, pictures.values())
    text = Text.objects.create(
        project=project,
        external_id="t",
        body="Herons *wade*.\n\n![the lake](secret-map.png) $x^2$",
        markup="markdown",
        pictures={name: each.digest for name, each in pictures.items()},
        language="en",
    )
    item = make_secret_item(text, "gen-alder", "i")
    Option.objects.filter(item=item, position=0).update(text="**Yes** ![a sign](secret-sign.png)")
    return make_live_study(project, "en", 2, {})


def find_pictures(response) -> list[str]:
    """The addresses on a page, each once."""
    return sorted(set(ADDRESS.findall(response.content.decode())))


def test_a_picture_of_the_text_is_out_of_reach_until_the_text_is_shown(study, walker):
    walker.start()
    (sign,) = find_pictures(guessing := walker.get())
    assert walker.get(sign).content == bytes(Picture.objects.last().content)
    walker.guess()
    reading = walker.reveal()
    reading = walker.get()
    (lake,) = set(find_pictures(reading)) - {sign}
    assert "<em>wade</em>" in reading.content.decode()
    assert "<math" in reading.content.decode()
    assert walker.get(lake)["Cache-Control"] == "no-store"
    early = Walker(study.annotators.last()).start()
    (other_sign,) = find_pictures(early.get())
    assert other_sign.rsplit("/", 2)[1] != sign.rsplit("/", 2)[1]  # another address for each annotator
    for name in (lake.rsplit("/", 2)[1], Picture.objects.first().digest, "a" * 32):
        assert early.get(reverse("work_picture", args=[early.annotator.public_id, name])).status_code == 404
    for page in (guessing, *early.seen):
        assert not any(word in page.content.decode() for word in ("lake", "secret-", "wade", "<math"))


@pytest.mark.parametrize("markup", ["", "markdown"])
def test_arabic_and_hebrew_run_from_right_to_left_beside_words_of_the_page(project, markup):
    """The direction of each is told by its own letters: by `dir`, on the element or on the one around it."""
    text = Text.objects.create(
        project=project, external_id="t", body="أعلنت المدينة عن متحف.", markup=markup, language="ar"
    )
    item = make_secret_item(text, "gen-alder", "i")
    item.stem = "מה הודיעה העיר?"
    item.save()
    Option.objects.filter(item=item, position=0).update(text="متحف")
    walker = Walker(make_live_study(project, "en", 2, {}).annotators.first()).start()
    walker.guess()
    walker.reveal()
    page = walker.get().content.decode()
    for words in ("מה הודיעה העיר?", "متحف"):
        assert re.search(rf'<[^<>]* dir="auto"[^<>]*>{re.escape(words)}<', page)
    article = page.partition("<article")[2].partition("</article>")[0]
    assert 'dir="auto"' in article.partition(">")[0]
    assert 'dir="auto"' in article.partition("<h2")[2].partition(">")[0]  # else its English word would tell


def test_a_version_of_a_text_has_its_markup_and_pictures(study, walker):
    version = {"name": "simple", "text": "Herons **walk**. ![the lake](secret-map.png)"}
    Text.objects.update(versions=[version])
    Assignment.objects.update(text_version="simple")
    walker.start()
    walker.guess()
    walker.reveal()
    page = walker.get()
    assert "<strong>walk</strong>" in page.content.decode()
    assert "wade" not in page.content.decode()
    assert all(walker.get(address).status_code == 200 for address in find_pictures(page))


def test_pictures_are_gone_with_the_page_and_for_others(study, walker, client):
    walker.start()
    (sign,) = find_pictures(walker.get())
    assert client.get(sign).status_code == 404
    walker.finish()
    assert walker.get(sign).status_code == 404


def test_own_answers_and_pages_of_results_show_what_the_markup_means(study, walker, as_user, owner):
    walker.start()
    walker.guess()
    walker.reveal()
    annotator = study.annotators.get(pk=walker.annotator.pk)
    drawn = [answer.html["option"] for answer in list_own_answers(annotator)]
    assert "<strong>Yes</strong> a sign" in drawn
    assert "**Yes**" in write_own_answers(annotator)
    item = study.units.get().items.get()
    client = as_user(owner)
    pages = [
        ("study_item", study.slug, item.pk),
        ("study_coding", study.slug),
        ("study_person", study.slug, annotator.pk),
    ]
    for name, *key in pages:
        page = re.sub("<option.*?</option>", "", client.get(reverse(name, args=key)).content.decode())
        assert "<strong>Yes</strong>" in page, name
        assert "**Yes**" not in page, name
    assert "<em>wade</em>" in client.get(reverse("study_item", args=[study.slug, item.pk])).content.decode()
