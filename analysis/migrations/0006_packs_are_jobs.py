"""Packs are jobs now, with files in the data folder; those in the database are dropped and can be built again."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('analysis', '0005_generator_matches'),
    ]

    operations = [
        migrations.DeleteModel(
            name='PackPart',
        ),
        migrations.DeleteModel(
            name='Pack',
        ),
    ]
