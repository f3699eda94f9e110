"""`report SLUG --out DIR`: every table and figure of a study as files."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from analysis.choices import (
    CONVENTIONS,
    DEFAULT_CONVENTION,
    BadChoice,
    Choices,
    find_study,
    parse_dropped,
    parse_purposes,
    parse_seed,
    resolve_convention,
    split_list,
)
from studies.models import Study

LISTED = 'separated by commas; put a name that contains a comma in quotation marks: "a, b",c'


class Command(BaseCommand):
    help = "Writes every table (CSV, JSON, TeX), figure (SVG, PNG, Vega-Lite) and report.json of a study into a folder."

    def add_arguments(self, parser):
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument(
            "--out",
            required=True,
            metavar="DIR",
            help="folder, created if needed; files of an earlier report in it are replaced or removed",
        )
        add_choices(parser)
        parser.add_argument(
            "--evaluators", metavar="NAMES", help=f"rows to keep: human, human:GROUP, a model; {LISTED}"
        )
        parser.add_argument("--groups", metavar="NAMES", help=f"only people of these groups; {LISTED}")

    def handle(self, *, slug, out, **options):
        # Heavy libraries are imported only when there is something to compute.
        from analysis.services.reporting import write_report

        if not out:
            raise CommandError("--out is empty. Name the folder to write to.")
        try:
            study = find_reportable(slug)
            report = write_report(study, Path(out), read_choices(study, options))
        except BadChoice as bad:
            raise CommandError(str(bad)) from None
        except OSError as error:
            raise CommandError(
                f"{error.filename or out} cannot be written: {error.strerror}. Choose another --out."
            ) from None
        for line in (*report.scope, *report.corrections, *report.sentences):
            self.stdout.write(line)
        if not report.n_responses:
            self.stdout.write(f"No answers of {slug} are in these figures.{describe_left_out(report)}")
        self.stdout.write(f"{len(report.tables)} tables and {len(report.figures)} figures are in {out}.")


def add_choices(parser) -> None:
    """The choices that all files of results share."""
    parser.add_argument(
        "--convention",
        type=resolve_convention,
        choices=CONVENTIONS,
        default=DEFAULT_CONVENTION,
        help="which intervals stand in low and high; clustered is the earlier name of annotators",
    )
    parser.add_argument(
        "--include", default="", metavar="pilot,simulated", help="also include answers of these purposes"
    )
    parser.add_argument(
        "--calibration", choices=("with", "without"), default="with", help="whether its answers enter the results"
    )
    parser.add_argument(
        "--drop",
        default="",
        metavar="duplicates,references",
        help="items that comparisons of metrics with people leave out (dimension ratings)",
    )
    parser.add_argument(
        "--texts", choices=("all", "shared"), default="all", help="shared: only what people and all models answered"
    )
    parser.add_argument(
        "--adjudicated",
        action="store_true",
        help="count decisions of the adjudication in place of what people said; every table says so",
    )
    parser.add_argument(
        "--dif-by",
        default="",
        metavar="NAME",
        help="the background question whose answers form the groups of DIF; default: the study's groups",
    )
    parser.add_argument("--seed", help="of the resampling; default: the study's seed")


def find_reportable(slug: str) -> Study:
    study = find_study(slug)
    if study.is_draft:
        raise BadChoice(f"{slug} is a draft and has no answers. Launch it, or import answers, and report then.")
    return study


def read_choices(study: Study, options: dict) -> Choices:
    seed = options["seed"]
    return Choices(
        convention=options["convention"],
        purposes=parse_purposes(split_list(options["include"])),
        evaluators=split_list(options["evaluators"]) or None,
        groups=split_list(options["groups"]) or None,
        seed=parse_seed(seed) if seed is not None else abs(study.seed),
        calibration=options["calibration"] == "with",
        dropped=parse_dropped(split_list(options["drop"])),
        shared_texts=options["texts"] == "shared",
        adjudicated=options["adjudicated"],
        dif_by=options["dif_by"],
    )


def describe_left_out(report) -> str:
    left_out = dict(report.left_out)
    if not left_out:
        return ""
    counted = ", ".join(f"{n} {purpose}" for purpose, n in left_out.items())
    return f" Left out: {counted}; --include {','.join(left_out)} takes them in."
