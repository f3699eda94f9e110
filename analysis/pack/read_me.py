"""What a pack says of itself to somebody who has only the ZIP file."""

from analysis.choices import Choices
from analysis.services.reporting import versions
from studies.models import Study

WORDS = """# Replication pack: {title}

Everything that the figures of the study “{slug}” rest on, as Lesart {lesart} wrote it. Lesart evaluates questions on
texts: annotators (people, models, baselines) answer items about texts, and reports say what their answers show. This
study follows the protocol {protocol}.

| folder | holds |
| --- | --- |
| `codebook.csv` | every column and field of the files below, with its type and meaning |
| `study` | the frozen study (`study.yaml` is read by `create_study`), its dates, its units |
| `instruments` | every wording and prompt that was used, as YAML |
| `bank` | texts, items and generators (`items.jsonl` is read by `import_items`), corrections of keys, metrics |
| `answers` | the answers with their code book, who gave them (codes only), orders, times, codes of items |
| `report` | every table (CSV, JSON, TeX) and figure (SVG, PNG, Vega-Lite) |
| `datasheet` | a datasheet of human evaluation, and drafts of a methods paragraph |
| `manifest.json` | seeds, versions, and the SHA-256 of every other file |

Files are UTF-8. CSV has commas and a first line of names; an empty cell is nothing, and words such as NA are words:
`pandas.read_csv(FILE, keep_default_na=False)`, in R `read.csv(FILE, na.strings = "", encoding = "UTF-8")`. A text that
a spreadsheet would run as a formula has an apostrophe in front. JSON lines (`.jsonl`) have one object a line. Ids join
the files: text_id, item_id, option_id, annotator, unit.

To compute everything again with Lesart:

```sh
python manage.py create_project {slug}-again
python manage.py import_pack PACK.zip --project {slug}-again --slug {slug}-again
python manage.py report {slug}-again --out again{options}
```

Tables and Vega-Lite specifications come out the same to the byte with the versions that the manifest names.

What is not here, and why:

- People stand here under codes, without names, addresses and links. As soon as one of their codes in the study could be
  a name, all of them have others here. What they wrote themselves (comments, free answers) is as they wrote it, but for
  e-mail addresses: whoever publishes this pack has to read it first.
- A text that may not be shared stands here as its SHA-256 and its number of tokens; so does what people and models
  wrote about it in words of their own. Questions, options and anything else that quotes five of its words in a row
  stand as `sha256:…`, cut or filled to the length of what they stand for.
- Calls of models are not here; what they answered is in `answers/responses.csv`, word for word in `raw_output`.
"""


def read_me(study: Study, choices: Choices) -> str:
    return WORDS.format(
        title=study.title,
        slug=study.slug,
        protocol=study.protocol,
        lesart=versions()["lesart"],
        options=options_of(study, choices),
    )


def options_of(study: Study, choices: Choices) -> str:
    """What `report` has to be told to choose the same."""
    said = [f" --convention {choices.convention}"] if choices.convention != "clustered" else []
    said += [f" --include {','.join(choices.included)}"] if choices.included else []
    said += [] if choices.calibration else [" --calibration without"]
    said += [f" --drop {','.join(choices.dropped)}"] if choices.dropped else []
    said += [" --texts shared"] if choices.shared_texts else []
    said += [f" --seed {choices.seed}"] if choices.seed != abs(study.seed) else []
    return "".join(said)
