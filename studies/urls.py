from django.urls import path, re_path

from studies import views

urlpatterns = [
    path("p/<slug:slug>/studies/", views.study_list, name="study_list"),
    path("p/<slug:slug>/studies/new/", views.study_new, name="study_new"),
    path("p/<slug:slug>/instruments/", views.instrument_list, name="instrument_list"),
    path("p/<slug:slug>/instruments/upload/", views.instrument_upload, name="instrument_upload"),
    path("p/<slug:slug>/instruments/preview/", views.instrument_preview, name="instrument_preview"),
    path("p/<slug:slug>/instruments/<int:pk>/", views.instrument_page, name="instrument"),
    path("p/<slug:slug>/instruments/<int:pk>/edit/", views.instrument_edit, name="instrument_edit"),
    path("p/<slug:slug>/instruments/<int:pk>/copy/", views.instrument_copy, name="instrument_copy"),
    path("p/<slug:slug>/instruments/<int:pk>/diff/", views.instrument_diff, name="instrument_diff"),
    path("p/<slug:slug>/instruments/<int:pk>/v/<int:number>/", views.instrument_version, name="instrument_version"),
    path(
        "p/<slug:slug>/instruments/<int:pk>/v/<int:number>/yaml/", views.instrument_download, name="instrument_download"
    ),
    path("s/<slug:slug>/", views.study_page, name="study"),
    path("s/<slug:slug>/edit/", views.study_edit, name="study_edit"),
    path("s/<slug:slug>/delete/", views.study_delete, name="study_delete"),
    path("s/<slug:slug>/effects/", views.study_effects, name="study_effects"),
    path("s/<slug:slug>/preview/", views.study_preview, name="study_preview"),
    path("s/<slug:slug>/rephrasals/<int:pk>/take/", views.take_rephrasal, name="take_rephrasal"),
    path("s/<slug:slug>/expert-check/", views.expert_check, name="expert_check"),
    path("s/<slug:slug>/written/", views.study_written, name="study_written"),
    path("s/<slug:slug>/written/<int:pk>/take/", views.written_take, name="written_take"),
    path("s/<slug:slug>/written/<int:pk>/repair/", views.written_repair, name="written_repair"),
    path("s/<slug:slug>/written/<int:pk>/reject/", views.written_reject, name="written_reject"),
    path("s/<slug:slug>/import/", views.study_import, name="study_import"),
    path("s/<slug:slug>/annotators/", views.study_annotators, name="study_annotators"),
    path("s/<slug:slug>/annotators/links.csv", views.annotator_links, name="annotator_links"),
    path("s/<slug:slug>/annotators/simulated/remove/", views.remove_simulated, name="remove_simulated"),
    path("s/<slug:slug>/annotators/<int:pk>/<slug:action>/", views.annotator_link, name="annotator_link"),
    re_path(
        r"^s/(?P<slug>[-a-zA-Z0-9_]+)/(?P<action>launch|pause|resume|close|reopen|open_main|second_round)/$",
        views.study_act,
        name="study_act",
    ),
]
