from django.urls import path

from analysis import (
    behind_views,
    figure_views,
    item_views,
    lab_views,
    outlook_views,
    pack_views,
    shortcut_views,
    stand_in_views,
    views,
    working_views,
)

urlpatterns = [
    path("p/<slug:slug>/shortcuts/", shortcut_views.bank_shortcuts, name="bank_shortcuts"),
    path("p/<slug:slug>/shortcuts.csv", shortcut_views.bank_shortcuts_csv, name="bank_shortcuts_csv"),
    path("s/<slug:slug>/results/", views.study_results, name="study_results"),
    path("s/<slug:slug>/results/figures/<slug:name>.<str:ending>", figure_views.study_figure, name="study_figure"),
    path("s/<slug:slug>/results/tables/<slug:name>.csv", views.study_table, name="study_table"),
    path("s/<slug:slug>/results/working/<slug:place>/", working_views.study_working, name="study_working"),
    path("s/<slug:slug>/export/<slug:format>/", views.study_export, name="study_export"),
    path("s/<slug:slug>/results/judgments/", behind_views.study_behind, name="study_behind"),
    path("s/<slug:slug>/results/judgments.csv", behind_views.study_behind_csv, name="study_behind_csv"),
    path("s/<slug:slug>/agreement/", lab_views.agreement_lab, name="agreement_lab"),
    path("s/<slug:slug>/agreement/<slug:name>.csv", lab_views.agreement_lab_csv, name="agreement_lab_csv"),
    path("s/<slug:slug>/planner/", outlook_views.study_planner, name="study_planner"),
    path("s/<slug:slug>/planner/outlook.csv", outlook_views.study_planner_csv, name="study_planner_csv"),
    path("s/<slug:slug>/planner/components.csv", outlook_views.study_components_csv, name="study_components_csv"),
    path("s/<slug:slug>/planner/outlook.<str:ending>", figure_views.study_planner_figure, name="study_planner_figure"),
    path("s/<slug:slug>/stand-in/", stand_in_views.stand_in, name="stand_in"),
    path("s/<slug:slug>/stand-in/<slug:name>.csv", stand_in_views.stand_in_csv, name="stand_in_csv"),
    path("s/<slug:slug>/pack/", pack_views.study_pack, name="study_pack"),
    path("s/<slug:slug>/pack/<int:pk>.zip", pack_views.study_pack_file, name="study_pack_file"),
    path("s/<slug:slug>/items/", item_views.study_items, name="study_items"),
    path("s/<slug:slug>/items/<int:pk>/", item_views.study_item, name="study_item"),
    path(
        "s/<slug:slug>/items/<int:pk>/codes/<int:code>/remove/",
        item_views.study_item_code_remove,
        name="study_item_code_remove",
    ),
]
