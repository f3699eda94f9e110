from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('items', '0009_tags_and_benchmarks'),
    ]

    operations = [
        migrations.AddField(
            model_name='importfile',
            name='paragraphs',
            field=models.JSONField(help_text='How the texts are cut and joined: items.formats.paragraphs.', null=True),
        ),
    ]
