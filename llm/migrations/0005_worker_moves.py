"""Workers belong to the app `jobs` from now on; their table stays."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("llm", "0004_plain_labels"), ("jobs", "0001_initial")]
    operations = [migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("Worker")])]
