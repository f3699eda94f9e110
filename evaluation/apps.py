from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from jobs.kinds import Kind
from jobs.kinds import register as register_job


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self):
        from llm.registry import register  # models cannot be imported earlier
        from studies.instrument_kinds import register_kind

        work = "evaluation.services.baselines.finish_baseline"
        register_job(
            Kind("baseline", work, _("Letting a baseline answer"), {"units": _("%(done)s of %(total)s units.")})
        )
        register("evaluation", "evaluation.run_kind.EvaluationRunKind")
        register("judgment", "evaluation.judges.run_kind.JudgeRunKind")
        register("scoring", "evaluation.scoring.ScoringRunKind")
        for name in ("EvaluatorPromptKind", "LetterPromptKind", "JudgePromptKind"):
            register_kind(f"evaluation.instruments.{name}")
