from django.urls import path

from analysis import views

urlpatterns = [
    path("s/<slug:slug>/results/", views.study_results, name="study_results"),
    path("s/<slug:slug>/results/figures/<slug:name>.svg", views.study_figure, name="study_figure"),
    path("s/<slug:slug>/results/tables/<slug:name>.csv", views.study_table, name="study_table"),
    path("s/<slug:slug>/export/<slug:format>/", views.study_export, name="study_export"),
]
