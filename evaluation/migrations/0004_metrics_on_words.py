"""Values computed as BLEU-4 and ROUGE-L were those of other words than the published measures: they get names of their own."""

from django.db import migrations

NAMES = {"BLEU-4": "BLEU-4 (words)", "ROUGE-L": "ROUGE-L (words)"}


def rename_computed(apps, schema_editor):
    metrics = apps.get_model("evaluation", "Metric").objects
    for old, new in NAMES.items():
        for metric in metrics.filter(name=old, is_computed=True):
            make_way(metrics.filter(project=metric.project_id), new)
            metrics.filter(pk=metric.pk).update(name=new)


def make_way(metrics, name):
    """An imported metric that has the new name keeps its values under another."""
    for taken in metrics.filter(name=name):
        metrics.filter(pk=taken.pk).update(name=f"{name[:60]} (imported, {taken.pk})")


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0003_families_of_metrics")]

    operations = [migrations.RunPython(rename_computed, migrations.RunPython.noop)]
