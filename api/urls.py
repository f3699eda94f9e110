"""Addresses of the API, of its documentation, and of the page of tokens."""

from projects.lazy_urls import LazyViews, path, re_path
from studies.views.studies import ACTIONS

pages = LazyViews("api.pages")
bank = LazyViews("api.views.bank")
duplicates = LazyViews("api.views.duplicates")
models = LazyViews("api.views.models")
projects = LazyViews("api.views.projects")
results = LazyViews("api.views.results")
scoring = LazyViews("api.views.scoring")
studies = LazyViews("api.views.studies")
webhooks = LazyViews("api.views.webhooks")

V1 = "api/v1/"
P, S, E = f"{V1}projects/<slug:project>/", f"{V1}studies/<slug:study>/", f"{V1}endpoints/<int:endpoint>/"

operations = [
    path(V1, projects.Me.as_view(), name="api_me"),
    path(f"{V1}projects/", projects.Projects.as_view(), name="api_projects"),
    path(P, projects.OneProject.as_view(), name="api_project"),
    path(f"{V1}project-imports/", projects.ArchiveImports.as_view(), name="api_project_imports"),
    path(f"{P}archive/", projects.Archive.as_view(), name="api_archive"),
    path(f"{P}archive.zip", projects.ArchiveFile.as_view(), name="api_archive_file"),
    path(f"{P}jobs/", projects.ProjectJobs.as_view(), name="api_project_jobs"),
    path(f"{P}models/", projects.ProjectModels.as_view(), name="api_project_models"),
    path(f"{P}texts/", bank.Texts.as_view(), name="api_texts"),
    path(f"{P}texts/<path:text>/", bank.OneText.as_view(), name="api_text"),
    path(f"{P}items/", bank.Items.as_view(), name="api_items"),
    path(f"{P}items/<path:item>/", bank.OneItem.as_view(), name="api_item"),
    path(f"{P}tags/", bank.Tags.as_view(), name="api_tags"),
    path(f"{P}duplicates/", duplicates.Duplicates.as_view(), name="api_duplicates"),
    path(f"{P}benchmarks/", duplicates.Benchmarks.as_view(), name="api_benchmarks"),
    path(f"{P}benchmarks/<int:benchmark>/", duplicates.OneBenchmark.as_view(), name="api_benchmark"),
    path(f"{P}generators/", bank.Generators.as_view(), name="api_generators"),
    path(f"{P}imports/", bank.Imports.as_view(), name="api_imports"),
    path(f"{P}imports/<int:number>/", bank.OneImport.as_view(), name="api_import"),
    path(f"{P}bank.jsonl", bank.Bank.as_view(), name="api_bank"),
    path(f"{P}bank-<slug:format>.zip", bank.QuestionBank.as_view(), name="api_question_bank"),
    path(f"{P}generate/", models.Generate.as_view(), name="api_generate"),
    path(f"{P}scores/", scoring.Scorings.as_view(), name="api_scorings"),
    path(f"{P}scores/<int:scoring>/", scoring.OneScoring.as_view(), name="api_scoring"),
    path(f"{P}webhooks/", webhooks.Webhooks.as_view(), name="api_webhooks"),
    path(f"{P}webhooks/<int:webhook>/", webhooks.OneWebhook.as_view(), name="api_webhook"),
    path(f"{P}runs/", models.Runs.as_view(), name="api_runs"),
    path(f"{P}instruments/", studies.Instruments.as_view(), name="api_instruments"),
    path(f"{P}instruments/<int:instrument>/", studies.OneInstrument.as_view(), name="api_instrument"),
    path(f"{P}studies/", studies.Studies.as_view(), name="api_studies"),
    path(S, studies.OneStudy.as_view(), name="api_study"),
    *(
        path(f"{S}{step.replace('_', '-')}/", studies.ActOnStudy.as_view(step=step), name=f"api_study_{step}")
        for step in ACTIONS
    ),
    path(f"{S}compare/", results.CompareStudies.as_view(), name="api_compare_studies"),
    path(f"{S}texts/", studies.StudyTexts.as_view(), name="api_study_texts"),
    path(f"{S}people-texts/", studies.PeopleTexts.as_view(), name="api_people_texts"),
    path(f"{S}annotators/", studies.Annotators.as_view(), name="api_annotators"),
    path(f"{S}links/", studies.Links.as_view(), name="api_links"),
    *(
        path(
            f"{S}annotators/<int:annotator>/{step}/", studies.ActOnLink.as_view(step=step), name=f"api_annotator_{step}"
        )
        for step in ("revoke", "renew")
    ),
    path(f"{S}responses/import/", studies.ImportResponses.as_view(), name="api_import_responses"),
    path(f"{S}responses/<slug:kind>/", results.Answers.as_view(), name="api_responses"),
    path(f"{S}results/", results.Results.as_view(), name="api_results"),
    re_path(
        rf"^{V1}studies/(?P<study>[-a-zA-Z0-9_]+)/tables/(?P<name>[a-z0-9_]+)\.(?P<ending>csv|json|tex|md|xlsx|parquet)$",
        results.OneTable.as_view(),
        name="api_table",
    ),
    re_path(
        rf"^{V1}studies/(?P<study>[-a-zA-Z0-9_]+)/figures/(?P<name>[a-z0-9_]+)\.(?P<ending>svg|png|pdf|vl\.json)$",
        results.OneFigure.as_view(),
        name="api_figure",
    ),
    path(f"{S}pack/", results.Pack.as_view(), name="api_pack"),
    path(f"{S}pack.zip", results.PackFile.as_view(), name="api_pack_file"),
    path(f"{S}evaluators/", models.Evaluators.as_view(), name="api_evaluators"),
    path(f"{V1}runs/<int:run>/", models.OneRun.as_view(), name="api_run"),
    *(
        path(f"{V1}runs/<int:run>/{step}/", models.ActOnRun.as_view(step=step), name=f"api_run_{step}")
        for step in ("pause", "cancel", "retry")
    ),
    path(f"{V1}runs/<int:run>/resume/", models.ResumeRun.as_view(), name="api_run_resume"),
    path(f"{V1}jobs/<int:job>/", projects.OneJob.as_view(), name="api_job"),
    path(f"{V1}jobs/<int:job>/cancel/", projects.CancelJob.as_view(), name="api_job_cancel"),
    path(f"{V1}jobs/<int:job>/retry/", projects.RetryJob.as_view(), name="api_job_retry"),
    path(f"{V1}endpoints/", models.Endpoints.as_view(), name="api_endpoints"),
    path(E, models.OneEndpoint.as_view(), name="api_endpoint"),
    path(f"{E}test/", models.ActOnEndpoint.as_view(step="test"), name="api_endpoint_test"),
    path(f"{E}forget-key/", models.ActOnEndpoint.as_view(step="forget-key"), name="api_endpoint_forget_key"),
]

urlpatterns = [
    *operations,
    path("api/v1/schema/", pages.ApiSchema.as_view(), name="api_schema"),
    path("api/v1/docs/", pages.ApiDocs.as_view(), name="api_docs"),
    re_path(r"^api/", pages.show_nowhere, name="api_nowhere"),
    path("p/<slug:slug>/webhooks/", pages.webhook_list, name="webhook_list"),
    path("p/<slug:slug>/webhooks/<int:pk>/delete/", pages.webhook_delete, name="webhook_delete"),
    path("account/tokens/", pages.token_list, name="token_list"),
    path("account/tokens/<int:pk>/revoke/", pages.token_revoke, name="token_revoke"),
]
