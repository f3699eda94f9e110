"""The researcher's pages of studies."""

from studies.views.annotators import annotator_link, annotator_links, expert_check, remove_simulated, study_annotators
from studies.views.drafts import study_delete, study_edit, study_import, study_list, study_new
from studies.views.instruments import (
    instrument_copy,
    instrument_diff,
    instrument_download,
    instrument_edit,
    instrument_list,
    instrument_page,
    instrument_preview,
    instrument_upload,
    instrument_version,
)
from studies.views.studies import study_act, study_effects, study_page, study_preview, take_rephrasal
from studies.views.written import study_written, written_reject, written_repair, written_take

__all__ = [
    "annotator_link",
    "annotator_links",
    "expert_check",
    "instrument_copy",
    "instrument_diff",
    "instrument_download",
    "instrument_edit",
    "instrument_list",
    "instrument_page",
    "instrument_preview",
    "instrument_upload",
    "instrument_version",
    "remove_simulated",
    "study_act",
    "study_annotators",
    "study_delete",
    "study_edit",
    "study_effects",
    "study_import",
    "study_list",
    "study_new",
    "study_page",
    "study_preview",
    "study_written",
    "take_rephrasal",
    "written_reject",
    "written_repair",
    "written_take",
]
