"""Which of a study's variants an annotator is asked by: drawn when they join, balanced, and kept."""

from collections import Counter
from random import Random

from studies.models import Annotator, AnnotatorKind, Study


def draw_variant(annotator: Annotator) -> None:
    """Put the annotator into a variant, once, inside the caller's transaction; nothing where the study has none.

    Into the one with the fewest of those of their group who have joined, then with the fewest of all; what is equal is
    drawn from the study's seed. Who never joins takes no place, so that the variants stay balanced.
    """
    if annotator.kind != AnnotatorKind.HUMAN or not annotator.study.variants.exists():
        return
    Study.objects.select_for_update().get(pk=annotator.study_id)  # one after the other
    annotator.refresh_from_db(fields=["variant"])
    if annotator.variant_id:
        return
    joined = Annotator.objects.filter(
        study=annotator.study_id, purpose=annotator.purpose, variant__isnull=False
    ).values_list("variant", "group")
    of_all = Counter(variant for variant, _group in joined)
    of_group = Counter(variant for variant, group in joined if group == annotator.group)
    lot = Random(f"{annotator.study.seed}/variants/{annotator.purpose}/{annotator.seat}")
    annotator.variant = min(
        annotator.study.variants.all(), key=lambda each: (of_group[each.pk], of_all[each.pk], lot.random())
    )
    annotator.save(update_fields=["variant"])
