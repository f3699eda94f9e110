"""Which fields of a long form are shown at once, and which are folded under “More choices”."""

from typing import ClassVar

from django import forms


class MoreChoices(forms.Form):
    """A form whose rarely used fields are folded, in the order in which `folded` names them."""

    folded: ClassVar[tuple[str, ...]] = ()

    def first_choices(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in self.folded]

    def more_choices(self) -> list[forms.BoundField]:
        return [self[name] for name in self.folded if name in self.fields]

    def is_unfolded(self) -> bool:
        """Where a folded field has an error or says something else than usual, all are shown."""
        return self.is_bound and any(field.errors or field.name in self.changed_data for field in self.more_choices())
