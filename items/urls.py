from django.urls import path

from items.views.bank import (
    generator_edit,
    item_edit,
    item_new,
    key_correct,
    text,
    text_edit,
    text_list,
    text_picture,
    text_print,
)
from items.views.imports import (
    item_export,
    item_import,
    item_import_columns,
    item_import_preview,
    item_import_undo,
    item_import_update,
    question_export,
    text_files,
    text_new,
)

urlpatterns = [
    path("p/<slug:slug>/texts/", text_list, name="text_list"),
    path("p/<slug:slug>/texts/new/", text_new, name="text_new"),
    path("p/<slug:slug>/texts/print/", text_print, name="text_print"),
    path("p/<slug:slug>/texts/files/", text_files, name="text_files"),
    path("p/<slug:slug>/texts/<int:pk>/", text, name="text"),
    path("p/<slug:slug>/pictures/<slug:digest>/", text_picture, name="text_picture"),
    path("p/<slug:slug>/texts/<int:pk>/edit/", text_edit, name="text_edit"),
    path("p/<slug:slug>/texts/<int:pk>/items/new/", item_new, name="item_new"),
    path("p/<slug:slug>/items/<int:pk>/edit/", item_edit, name="item_edit"),
    path("p/<slug:slug>/items/<int:pk>/key/", key_correct, name="key_correct"),
    path("p/<slug:slug>/items.jsonl", item_export, name="item_export"),
    path("p/<slug:slug>/items-<slug:format>.zip", question_export, name="question_export"),
    path("p/<slug:slug>/import/", item_import, name="item_import"),
    path("p/<slug:slug>/import/<int:pk>/", item_import_preview, name="item_import_preview"),
    path("p/<slug:slug>/imports/<int:pk>/undo/", item_import_undo, name="item_import_undo"),
    path("p/<slug:slug>/import/<int:pk>/columns/", item_import_columns, name="item_import_columns"),
    path("p/<slug:slug>/import/<int:pk>/update/", item_import_update, name="item_import_update"),
    path("p/<slug:slug>/generators/<int:pk>/", generator_edit, name="generator_edit"),
]
