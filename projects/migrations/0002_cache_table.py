"""The table of the cache in which sign-in limits count, so that `migrate` alone prepares a database."""

from django.core.management import call_command
from django.db import migrations

TABLE = "lesart_cache"


def create(apps, schema_editor):
    call_command("createcachetable", TABLE, database=schema_editor.connection.alias, verbosity=0)


def drop(apps, schema_editor):
    schema_editor.execute(f"DROP TABLE {schema_editor.quote_name(TABLE)}")


class Migration(migrations.Migration):
    dependencies = [("projects", "0001_initial")]
    operations = [migrations.RunPython(create, drop)]
