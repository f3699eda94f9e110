from projects.lazy_urls import LazyViews, path

views = LazyViews("evaluation.views")

urlpatterns = [
    path("s/<slug:slug>/evaluators/", views.study_evaluators, name="study_evaluators"),
    path("s/<slug:slug>/evaluators/model/", views.evaluator_model, name="evaluator_model"),
    path("s/<slug:slug>/evaluators/<int:pk>/", views.evaluator_page, name="evaluator"),
    path("s/<slug:slug>/evaluators/<int:pk>/continue/", views.evaluator_continue, name="evaluator_continue"),
    path("s/<slug:slug>/evaluators/<int:pk>/remove/", views.evaluator_remove, name="evaluator_remove"),
]
