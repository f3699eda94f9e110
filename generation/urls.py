from projects.lazy_urls import LazyViews, path

views = LazyViews("generation.views")

urlpatterns = [
    path("p/<slug:slug>/generate/", views.generation_new, name="generation_new"),
    path("p/<slug:slug>/generators/<int:pk>/written/", views.generation_written, name="generation_written"),
    path("p/<slug:slug>/generators/<int:pk>/select/", views.selection_begin, name="selection_begin"),
    path("p/<slug:slug>/selections/<int:pk>/", views.selection_page, name="selection"),
    path("p/<slug:slug>/incomplete/", views.generation_review, name="generation_review"),
    path("p/<slug:slug>/incomplete/<int:pk>/", views.incomplete_repair, name="incomplete_repair"),
    path("p/<slug:slug>/incomplete/<int:pk>/discard/", views.incomplete_discard, name="incomplete_discard"),
]
