"""What a pack says of itself to somebody who has only the ZIP file."""

from analysis.choices import Choices
from analysis.services.reporting import versions
from studies.models import Study

WORDS = """# Replication pack: {title}

Everything that the figures of the study “{slug}” rest on, as Lesart {lesart} wrote it.

| folder | holds |
| --- | --- |
| `study` | the frozen study (`study.yaml` is read by `create_study`), its dates, its units |
| `instruments` | every wording and prompt that was used, as YAML |
| `bank` | texts, items and generators (`items.jsonl` is read by `import_items`), corrections of keys, metrics |
| `answers` | the answers with their code book, who gave them (codes only), orders, times, codes of items |
| `report` | every table (CSV, JSON, TeX) and figure (SVG, PNG, Vega-Lite) |
| `datasheet` | a datasheet of human evaluation, and drafts of a methods paragraph |
| `manifest.json` | seeds, versions, and the SHA-256 of every other file |

To compute everything again:

```sh
python manage.py create_project {slug}-again
python manage.py import_pack PACK.zip --project {slug}-again --slug {slug}-again
python manage.py report {slug}-again --out again{options}
```

Tables and Vega-Lite specifications come out the same to the byte with the versions that the manifest names.

People stand here under codes, without names, addresses and links. A text that may not be shared stands here as its
SHA-256 and its number of tokens; so does what people and models wrote about it in words of their own.
"""


def read_me(study: Study, choices: Choices) -> str:
    return WORDS.format(
        title=study.title, slug=study.slug, lesart=versions()["lesart"], options=options_of(study, choices)
    )


def options_of(study: Study, choices: Choices) -> str:
    """What `report` has to be told to choose the same."""
    said = [f" --convention {choices.convention}"] if choices.convention != "clustered" else []
    said += [f" --include {','.join(choices.included)}"] if choices.included else []
    said += [] if choices.calibration else [" --calibration without"]
    said += [f" --seed {choices.seed}"] if choices.seed != abs(study.seed) else []
    return "".join(said)
