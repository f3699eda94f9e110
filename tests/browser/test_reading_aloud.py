"""Reading aloud: by voices of the device only, what the stage shows and nothing else; silence is explained."""

import pytest
from playwright.sync_api import expect

from studies.models import Study
from tests.annotation.world import make_world
from tests.browser.axe import find_faults
from tests.browser.test_annotator_display import begin

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Chromium has no voices here: these say nothing, and note what they were asked to say.
VOICES = """
window.said = [];
const voices = %s;
Object.defineProperty(window, "speechSynthesis", { value: Object.assign(new EventTarget(), {
  getVoices: () => voices,
  speak: (utterance) => {
    window.said.push([utterance.voice.name, utterance.text]);
    setTimeout(() => utterance.onend(), 5);
  },
  cancel: () => {},
}) });
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
"""
REMOTE = '{name: "far", lang: "en-US", localService: false}'
LOCAL = '{name: "near", lang: "en-GB", localService: true}'
GERMAN = '{name: "nah", lang: "de-DE", localService: true}'


@pytest.fixture
def study(project):
    study = make_world(project, texts=1, annotators=1)
    Study.objects.filter(pk=study.pk).update(recruitment={"read_aloud": True})
    return study


def test_the_stage_is_read_by_a_local_voice(page, study):
    page.add_init_script(VOICES % f"[{REMOTE}, {LOCAL}]")
    begin(page, study)
    assert find_faults(page) == []
    page.keyboard.press("r")
    page.wait_for_function("window.said.length > 0")
    expect(page.locator("[data-aloud]")).to_have_attribute("aria-pressed", "false")
    spoken = page.evaluate("window.said")
    assert {name for name, _text in spoken} == {"near"}
    words = " ".join(text for _name, text in spoken)
    stems = page.locator("fieldset.item legend [lang]").all_inner_texts()
    assert all(stem in words for stem in stems)
    assert "Sentence1" not in words  # the text is not shown yet


@pytest.mark.parametrize("voices", ["", REMOTE, GERMAN], ids=["none", "remote", "another language"])
def test_without_a_local_voice_there_is_no_sound_and_it_is_said(page, study, voices):
    page.add_init_script(VOICES % f"[{voices}]")
    begin(page, study)
    expect(page.locator("[data-no-voice]")).to_be_visible()
    expect(page.locator("[data-aloud]")).to_be_disabled()
    page.keyboard.press("r")
    assert page.evaluate("window.said") == []
