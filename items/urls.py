from projects.lazy_urls import LazyViews, path

bank = LazyViews("items.views.bank")
duplicates = LazyViews("items.views.duplicates")
imports = LazyViews("items.views.imports")

urlpatterns = [
    path("p/<slug:slug>/texts/", bank.text_list, name="text_list"),
    path("p/<slug:slug>/texts/new/", imports.text_new, name="text_new"),
    path("p/<slug:slug>/texts/print/", bank.text_print, name="text_print"),
    path("p/<slug:slug>/texts/files/", imports.text_files, name="text_files"),
    path("p/<slug:slug>/texts/<int:pk>/", bank.text, name="text"),
    path("p/<slug:slug>/pictures/<slug:digest>/", bank.text_picture, name="text_picture"),
    path("p/<slug:slug>/texts/<int:pk>/edit/", bank.text_edit, name="text_edit"),
    path("p/<slug:slug>/texts/<int:pk>/items/new/", bank.item_new, name="item_new"),
    path("p/<slug:slug>/items/<int:pk>/edit/", bank.item_edit, name="item_edit"),
    path("p/<slug:slug>/items/<int:pk>/key/", bank.key_correct, name="key_correct"),
    path("p/<slug:slug>/items.jsonl", imports.item_export, name="item_export"),
    path("p/<slug:slug>/items-<slug:format>.zip", imports.question_export, name="question_export"),
    path("p/<slug:slug>/duplicates/", duplicates.duplicate_list, name="duplicates"),
    path("p/<slug:slug>/benchmarks/", duplicates.benchmark_add, name="benchmark_add"),
    path("p/<slug:slug>/benchmarks/<int:pk>.minhash.jsonl", duplicates.benchmark_file, name="benchmark_file"),
    path("p/<slug:slug>/benchmarks/<int:pk>/delete/", duplicates.benchmark_delete, name="benchmark_delete"),
    path("p/<slug:slug>/import/", imports.item_import, name="item_import"),
    path("p/<slug:slug>/import/<int:pk>/", imports.item_import_preview, name="item_import_preview"),
    path("p/<slug:slug>/imports/jobs/<int:pk>/", imports.item_import_job, name="item_import_job"),
    path("p/<slug:slug>/imports/<int:pk>/undo/", imports.item_import_undo, name="item_import_undo"),
    path("p/<slug:slug>/import/<int:pk>/columns/", imports.item_import_columns, name="item_import_columns"),
    path("p/<slug:slug>/import/<int:pk>/paragraphs/", imports.item_import_paragraphs, name="item_import_paragraphs"),
    path("p/<slug:slug>/import/<int:pk>/update/", imports.item_import_update, name="item_import_update"),
    path("p/<slug:slug>/generators/<int:pk>/", bank.generator_edit, name="generator_edit"),
]
