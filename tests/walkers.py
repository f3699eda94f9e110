"""Annotators who give the planted answers: one through HTTP, one with mouse and keyboard in a browser.

Both know of a page only what it shows: they find an item by its stem and an option by its text.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag

from annotation.simulation import SimulatedPerson
from items.models import Item
from tests.patience import MAX_PAGES
from tests.walk import Planted, plan_answer


@dataclass(frozen=True)
class Seen:
    """One item as it stands on a page: its stem, and the values of its inputs by what is written beside them."""

    handle: str
    stem: str
    options: dict[str, str]
    rated: bool


def read_page(soup: BeautifulSoup) -> Iterator[Seen]:
    for fieldset in soup.select("fieldset.item"):
        choices = fieldset.select("label.choice:not(.none)")
        yield Seen(
            handle=str(fieldset["data-item"]),
            stem=str(fieldset.select_one("legend span[lang]").get_text()),
            options={choice.select_one(".option-text").get_text(): choice.input["value"] for choice in choices},
            rated=fieldset.select_one(".rating") is not None,
        )


@dataclass
class HttpWalker(SimulatedPerson):
    """Answers as planted, without JavaScript. `watch` is called with each annotator and response."""

    items: dict[str, Item] = field(default_factory=dict)
    watch: Callable[..., None] = lambda annotator, response: None

    def check(self, response):
        self.watch(self.annotator, response)
        return super().check(response)

    def fill(self, form: Tag) -> dict:
        self.page = form
        return super().fill(form)

    def answers(self) -> dict:
        sent: dict[str, str | list[str]] = {}
        for seen in read_page(self.page):
            answer = plan_answer(self.annotator.seat, self.items[seen.stem], "read" if seen.rated else "guess")
            sent |= fields(seen, answer)
        return sent


def fields(seen: Seen, answer: Planted) -> dict[str, str | list[str]]:
    sent: dict[str, str | list[str]] = {
        f"answer-{seen.handle}": [seen.options[text] for text in answer.ticked] or ["none"]
    }
    if seen.rated:
        sent[f"unsure-{seen.handle}"] = [seen.options[text] for text in answer.unsure]
        sent[f"rating-{seen.handle}"] = str(answer.rating)
    return sent


@dataclass
class BrowserWalker:
    """Clicks through every page of one annotator in a browser. `look` is called with each page before it is left."""

    page: object  # playwright's Page
    base: str
    seat: int
    items: dict[str, Item]
    look: Callable[[str], None] = lambda html: None

    def work_through(self, link: str) -> None:
        self.page.goto(self.base + link)
        for _page in range(MAX_PAGES):
            if self.page.locator("fieldset.item").count():
                self.answer_page()
            self.look(self.page.content())
            button = self.page.locator("main button.primary")
            if not button.count():
                return
            self.press(button)
        raise AssertionError("No end in sight.")

    def press(self, button) -> None:
        """Press the button and wait until the page that follows stands."""
        self.page.evaluate("document.querySelector('main').firstElementChild.dataset.left = 'yes'")
        button.first.click()
        # Not wait_for_function: the pages' content security policy forbids what it evaluates.
        self.page.locator("[data-left]").wait_for(state="detached")
        self.page.locator("main h1").wait_for()

    def answer_page(self) -> None:
        for seen in read_page(BeautifulSoup(self.page.content(), "html.parser")):
            answer = plan_answer(self.seat, self.items[seen.stem], "read" if seen.rated else "guess")
            for name, value in ticks(seen, answer):
                self.page.locator(f"label:has(> input[name='{name}'][value='{value}'])").click()


def ticks(seen: Seen, answer: Planted) -> Iterator[tuple[str, str]]:
    """The inputs to click, one by one."""
    for name, value in fields(seen, answer).items():
        for one in value if isinstance(value, list) else [value]:
            yield name, one
