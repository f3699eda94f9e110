from django.urls import path, re_path

from studies.views import annotators, design, drafts, instruments, phases, studies, written

urlpatterns = [
    path("p/<slug:slug>/studies/", drafts.study_list, name="study_list"),
    path("p/<slug:slug>/studies/new/", design.study_new, name="study_new"),
    path("p/<slug:slug>/instruments/", instruments.instrument_list, name="instrument_list"),
    path("p/<slug:slug>/instruments/upload/", instruments.instrument_upload, name="instrument_upload"),
    path("p/<slug:slug>/instruments/preview/", instruments.instrument_preview, name="instrument_preview"),
    path("p/<slug:slug>/instruments/<int:pk>/", instruments.instrument_page, name="instrument"),
    path("p/<slug:slug>/instruments/<int:pk>/edit/", instruments.instrument_edit, name="instrument_edit"),
    path("p/<slug:slug>/instruments/<int:pk>/copy/", instruments.instrument_copy, name="instrument_copy"),
    path("p/<slug:slug>/instruments/<int:pk>/diff/", instruments.instrument_diff, name="instrument_diff"),
    path(
        "p/<slug:slug>/instruments/<int:pk>/v/<int:number>/", instruments.instrument_version, name="instrument_version"
    ),
    path(
        "p/<slug:slug>/instruments/<int:pk>/v/<int:number>/yaml/",
        instruments.instrument_download,
        name="instrument_download",
    ),
    path("s/<slug:slug>/", studies.open_study, name="study"),
    path("s/<slug:slug>/design/", studies.study_page, name="study_design"),
    re_path(
        r"^s/(?P<slug>[-a-zA-Z0-9_]+)/design/(?P<step>protocol|texts|people|launch)/$",
        design.study_step,
        name="study_step",
    ),
    path("s/<slug:slug>/design/confirm/", design.study_confirm, name="study_confirm"),
    path("s/<slug:slug>/rename/", design.study_rename, name="study_rename"),
    path("s/<slug:slug>/copy/", design.study_copy, name="study_copy"),
    path("s/<slug:slug>/edit/", drafts.study_edit, name="study_edit"),
    path("s/<slug:slug>/delete/", drafts.study_delete, name="study_delete"),
    path("s/<slug:slug>/phases/", phases.study_phases, name="study_phases"),
    path("s/<slug:slug>/phases/change/", phases.phase_act, name="phase_act"),
    path("s/<slug:slug>/recruitment/", phases.study_recruitment, name="study_recruitment"),
    path("s/<slug:slug>/effects/", studies.study_effects, name="study_effects"),
    path("s/<slug:slug>/preview/", design.study_preview, name="study_preview"),
    path("s/<slug:slug>/rephrasals/<int:pk>/take/", studies.take_rephrasal, name="take_rephrasal"),
    path("s/<slug:slug>/expert-check/", annotators.expert_check, name="expert_check"),
    path("s/<slug:slug>/written/", written.study_written, name="study_written"),
    path("s/<slug:slug>/written/<int:pk>/take/", written.written_take, name="written_take"),
    path("s/<slug:slug>/written/<int:pk>/repair/", written.written_repair, name="written_repair"),
    path("s/<slug:slug>/written/<int:pk>/reject/", written.written_reject, name="written_reject"),
    path("s/<slug:slug>/import/", drafts.study_import, name="study_import"),
    path("s/<slug:slug>/annotators/", annotators.study_annotators, name="study_annotators"),
    path("s/<slug:slug>/annotators/links.csv", annotators.annotator_links, name="annotator_links"),
    path("s/<slug:slug>/annotators/simulated/remove/", annotators.remove_simulated, name="remove_simulated"),
    path("s/<slug:slug>/annotators/<int:pk>/<slug:action>/", annotators.annotator_link, name="annotator_link"),
    re_path(
        r"^s/(?P<slug>[-a-zA-Z0-9_]+)/(?P<action>launch|pause|resume|close|reopen|open_main|second_round)/$",
        studies.study_act,
        name="study_act",
    ),
]
