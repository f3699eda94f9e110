"""On how many texts the rules write enough open questions, and a draw of questions for somebody to read.

    python -m bench.open_questions de=belebele_de.jsonl en=belebele_en.jsonl --seed 1 --part 2/2 --out read_me.txt

Each file has one passage a line (`text`; Belebele's in the item-evaluation format). Passages are joined in an order
drawn by the seed to texts of 180 to 220 words. `--part 2/2` takes every second passage only, so that rules can be
changed by questions about one part and judged by questions about the other. Printed: texts with at least five
questions and the questions by rule. `--out` gets questions drawn by the seed, the same number per language, each with
its answer, its sentence and its text.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from bench.rates import rate
from generation.rules.questions import OpenQuestion, draw_open_questions

SHORTEST, LONGEST = 180, 220  # words
WANTED = 5  # questions a text


def read_passages(file: Path, part: str) -> list[str]:
    """The different passages of the file, or every n-th of them."""
    passages = list(dict.fromkeys(json.loads(line)["text"] for line in file.open(encoding="utf-8")))
    number, of = (int(each) for each in part.split("/"))
    return passages[number - 1 :: of]


def join_passages(passages: Sequence[str], rng: random.Random) -> Iterator[str]:
    """Texts of the wanted length without end: each round has the passages in another order."""
    while True:
        joined: list[str] = []
        for passage in rng.sample(passages, len(passages)):
            if _count_words([*joined, passage]) <= LONGEST:
                joined.append(passage)
            if _count_words(joined) >= SHORTEST:
                yield "\n\n".join(joined)
                joined = []


def _count_words(passages: Sequence[str]) -> int:
    return sum(len(each.split()) for each in passages)


def write_questions(file: Path, drawn: Sequence[tuple[str, OpenQuestion]]) -> None:
    with file.open("w", encoding="utf-8") as opened:
        for number, (text, each) in enumerate(drawn, 1):
            opened.write(f"{number}. {each.question}\n   answer: {each.answer}\n   sentence: {each.sentence}\n")
            opened.write(f"   rule: {each.rule} {each.score}\n{text}\n\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="LANGUAGE=FILE")
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--questions", type=int, default=50, help="drawn in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    drawn: list[tuple[str, OpenQuestion]] = []
    for language, file in (each.split("=", 1) for each in asked.files):
        rng = random.Random(f"{language} {asked.seed}")
        texts = join_passages(read_passages(Path(file), asked.part), rng)
        written = [(text, draw_open_questions(text, language, WANTED)) for text in islice(texts, asked.texts)]
        rules = Counter(each.rule for _text, questions in written for each in questions)
        enough = sum(len(questions) >= WANTED for _text, questions in written)
        print(f"{language}: at least {WANTED} questions on {rate(enough, asked.texts)}; {dict(rules.most_common())}")
        pool = [(text, each) for text, questions in written for each in questions]
        drawn += rng.sample(pool, min(len(pool), asked.questions // len(asked.files)))
    if asked.out:
        write_questions(asked.out, drawn)


if __name__ == "__main__":
    main()
