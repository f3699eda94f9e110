"""Lines and files of the product's Python per app, and the lines of the tests, at one or several commits.

    python -m bench.sizes                    # the files as they are in this checkout
    python -m bench.sizes 4778422 HEAD       # two commits, side by side

Counted are lines of .py files as they stand, blank lines and docstrings too, without migrations; tests and bench apart.
With --functions also the lines of the functions of this checkout: median and ninth decile.
"""

import argparse
import ast
import statistics
import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def list_files(commit: str | None) -> list[str]:
    """The Python files of a commit, or of this checkout, without migrations."""
    command = ["git", "ls-files"] if commit is None else ["git", "ls-tree", "-r", "--name-only", commit]
    names = subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    return [name for name in names if name.endswith(".py") and "/migrations/" not in name]


def count_lines(commit: str | None) -> tuple[Counter[str], Counter[str]]:
    """(files, lines) per top-level folder."""
    files, lines = Counter[str](), Counter[str]()
    for name in list_files(commit):
        part = name.split("/")[0] if "/" in name else "(root)"
        files[part] += 1
        lines[part] += _read(commit, name).count("\n")
    return files, lines


def _read(commit: str | None, name: str) -> str:
    if commit is None:
        return (ROOT / name).read_text("utf-8")
    return subprocess.check_output(["git", "show", f"{commit}:{name}"], cwd=ROOT, text=True)


def function_lengths() -> list[int]:
    """Lines of each function of the product, its docstring included."""
    sources = [_read(None, name) for name in list_files(None) if not name.startswith(("tests/", "bench/"))]
    return [
        node.end_lineno - node.lineno + 1
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    ]


def print_table(counts: dict[str, tuple[Counter[str], Counter[str]]]) -> None:
    parts = sorted({part for files, _lines in counts.values() for part in files})
    product = [part for part in parts if part not in ("tests", "bench")]
    rows = {part: [part] for part in product} | {"product": product, "tests": ["tests"], "bench": ["bench"]}
    print("| part | " + " | ".join(f"{name}: files | lines" for name in counts) + " |")
    print("| --- |" + " ---: | ---: |" * len(counts))
    for title, members in rows.items():
        cells = [f"{sum(f[p] for p in members):,} | {sum(n[p] for p in members):,}" for f, n in counts.values()]
        print(f"| {title} | " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commits", nargs="*", help="commits to compare; this checkout if none is named")
    parser.add_argument("--functions", action="store_true", help="also the lengths of functions")
    options = parser.parse_args()
    commits: list[str | None] = list(options.commits) or [None]
    print_table({commit or "checkout": count_lines(commit) for commit in commits})
    if options.functions:
        lengths = function_lengths()
        deciles = statistics.quantiles(lengths, n=10)
        print(
            f"\n{len(lengths):,} functions: median {statistics.median(lengths):.0f} lines, "
            f"nine in ten to {deciles[-1]:.0f}"
        )


if __name__ == "__main__":
    main()
