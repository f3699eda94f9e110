from projects.lazy_urls import LazyViews, path

overview = LazyViews("analysis.overview")
pack_views = LazyViews("analysis.pack.views")
agreement_views = LazyViews("analysis.results.agreement_views")
coding_views = LazyViews("analysis.results.coding_views")
independent_coding_views = LazyViews("analysis.results.independent_coding_views")
compare_views = LazyViews("analysis.results.compare_views")
drill_down_views = LazyViews("analysis.results.drill_down_views")
file_views = LazyViews("analysis.results.file_views")
item_views = LazyViews("analysis.results.item_views")
page_views = LazyViews("analysis.results.page_views")
planner_views = LazyViews("analysis.results.planner_views")
views = LazyViews("analysis.results.views")

urlpatterns = [
    path("p/<slug:slug>/", overview.project_overview, name="project"),
    path("p/<slug:slug>/export/", pack_views.project_export, name="project_export"),
    path("p/<slug:slug>/export/<int:pk>.zip", pack_views.project_export_file, name="project_export_file"),
    path("projects/import/", pack_views.project_import, name="project_import"),
    path("projects/import/<int:pk>/", pack_views.project_imported, name="project_imported"),
    path("p/<slug:slug>/shortcuts/", item_views.bank_shortcuts, name="bank_shortcuts"),
    path("p/<slug:slug>/shortcuts.csv", item_views.bank_shortcuts_csv, name="bank_shortcuts_csv"),
    path("s/<slug:slug>/results/", page_views.study_results, name="study_results"),
    path("s/<slug:slug>/results/agreement/", page_views.results_agreement, name="results_agreement"),
    path("s/<slug:slug>/results/items/", page_views.results_items, name="results_items"),
    path("s/<slug:slug>/results/compare/", page_views.results_compare, name="results_compare"),
    path("s/<slug:slug>/results/details/", page_views.results_details, name="results_details"),
    path("s/<slug:slug>/results/protocols/", compare_views.study_protocols, name="study_protocols"),
    path(
        "s/<slug:slug>/results/protocols/<slug:name>.csv",
        compare_views.study_protocols_csv,
        name="study_protocols_csv",
    ),
    path("s/<slug:slug>/results/methods/", pack_views.results_methods, name="results_methods"),
    path(
        "s/<slug:slug>/results/paper/<slug:name>-<int:width>.<str:ending>",
        page_views.results_paper,
        name="results_paper",
    ),
    path("s/<slug:slug>/results/matches/", views.study_matches, name="study_matches"),
    path("s/<slug:slug>/results/figures/<slug:name>.<str:ending>", file_views.study_figure, name="study_figure"),
    path("s/<slug:slug>/results/tables/<slug:name>/", views.study_table_page, name="study_table_page"),
    path("s/<slug:slug>/results/tables/<slug:name>.csv", file_views.study_table, name="study_table"),
    path("s/<slug:slug>/results/tables/<slug:name>.<str:ending>", file_views.study_table, name="study_table_file"),
    path("s/<slug:slug>/results/working/<slug:place>/", views.study_working, name="study_working"),
    path("s/<slug:slug>/export/<slug:format>/", file_views.study_export, name="study_export"),
    path("s/<slug:slug>/results/judgments/", drill_down_views.study_behind, name="study_behind"),
    path("s/<slug:slug>/results/judgments.csv", drill_down_views.study_behind_csv, name="study_behind_csv"),
    path("s/<slug:slug>/agreement/", agreement_views.agreement_lab, name="agreement_lab"),
    path("s/<slug:slug>/agreement/<slug:name>.csv", agreement_views.agreement_lab_csv, name="agreement_lab_csv"),
    path("s/<slug:slug>/planner/", planner_views.study_planner, name="study_planner"),
    path("s/<slug:slug>/planner/outlook.csv", planner_views.study_planner_csv, name="study_planner_csv"),
    path("s/<slug:slug>/planner/components.csv", planner_views.study_components_csv, name="study_components_csv"),
    path("s/<slug:slug>/planner/outlook.<str:ending>", file_views.study_planner_figure, name="study_planner_figure"),
    path("s/<slug:slug>/stand-in/", agreement_views.stand_in, name="stand_in"),
    path("s/<slug:slug>/stand-in/<slug:name>.csv", agreement_views.stand_in_csv, name="stand_in_csv"),
    path("s/<slug:slug>/pack/", pack_views.study_pack, name="study_pack"),
    path("s/<slug:slug>/pack/<int:pk>.zip", pack_views.study_pack_file, name="study_pack_file"),
    path("s/<slug:slug>/coding/", coding_views.study_coding, name="study_coding"),
    path("s/<slug:slug>/coding/own/", independent_coding_views.own_coding, name="own_coding"),
    path("s/<slug:slug>/coding/own/state/", independent_coding_views.own_coding_act, name="own_coding_act"),
    path("s/<slug:slug>/coding/compare/", independent_coding_views.code_comparison, name="code_comparison"),
    path(
        "s/<slug:slug>/coding/compare/coders.csv",
        independent_coding_views.code_comparison_csv,
        name="code_comparison_csv",
    ),
    path("s/<slug:slug>/coding/texts/<int:pk>/", coding_views.study_coding_text, name="study_coding_text"),
    path("s/<slug:slug>/coding/codes.csv", coding_views.study_codes_csv, name="study_codes_csv"),
    path("s/<slug:slug>/coding/import/", coding_views.study_codes_import, name="study_codes_import"),
    path("s/<slug:slug>/items/", item_views.study_items, name="study_items"),
    path("s/<slug:slug>/items/<int:pk>/", item_views.study_item, name="study_item"),
    path(
        "s/<slug:slug>/items/<int:pk>/codes/<int:code>/remove/",
        item_views.study_item_code_remove,
        name="study_item_code_remove",
    ),
]
