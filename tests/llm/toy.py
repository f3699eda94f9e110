"""The smallest kind of run: keys are in the parameters, a prompt is its key, an answer is a letter."""

from llm.answers import read_label
from llm.registry import Rejected, Request, RunKind, Unparsable


class Toy(RunKind):
    kind = "toy"
    label = "Toy"

    def __init__(self):
        self.read_keys = []
        self.rendered = []

    def plan(self, run):
        for key in run.params["keys"]:
            for sample in range(run.params.get("samples", 1)):
                yield key, sample

    def render(self, run, key, sample):
        self.rendered.append(key)
        if key == "no prompt":
            raise ValueError("There is nothing to ask about.")
        words = run.params.get("words", {}).get(key, f"Is {key} right?")
        return Request(
            [{"role": "user", "content": words}], run.params.get("request", {"max_tokens": 10, "temperature": 0})
        )

    def read(self, run, call):
        if call.text == "broken":
            raise RuntimeError("reading failed")
        if call.text == "wrong language":
            raise Rejected("The reply is in another language.")
        reading = read_label(call.text, ["R", "F"])
        if reading.label is None:
            raise Unparsable(reading.reason)
        self.read_keys.append(call.key)
        return {"label": reading.label}

    def reprompt(self, run, call):
        if run.params.get("as_published"):
            return None
        return Request(
            [*call.messages, {"role": "assistant", "content": call.text}, {"role": "user", "content": "One letter!"}]
        )
