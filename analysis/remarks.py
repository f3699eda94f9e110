"""What is said of numbers when they are pointed at: each remark stands once on a page, and cells refer to it."""

from collections.abc import Iterable


class Remarks:
    """The remarks of one page, in the order in which its cells first refer to them."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}

    def refer(self, said: Iterable[str]) -> str:
        """The ids under which these remarks stand, as `aria-describedby` takes them."""
        return " ".join([self.ids.setdefault(words, f"r{len(self.ids) + 1}") for words in said])

    def __len__(self) -> int:
        return len(self.ids)
