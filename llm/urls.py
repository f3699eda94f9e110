from projects.lazy_urls import LazyViews, path, re_path

views = LazyViews("llm.views")

urlpatterns = [
    path("models/", views.endpoint_list, name="endpoint_list"),
    path("models/new/", views.endpoint_new, name="endpoint_new"),
    path("models/<int:pk>/", views.endpoint_page, name="endpoint"),
    path("models/<int:pk>/edit/", views.endpoint_edit, name="endpoint_edit"),
    path("models/<int:pk>/test/", views.endpoint_test, name="endpoint_test"),
    path("models/<int:pk>/forget-key/", views.endpoint_forget_key, name="endpoint_forget_key"),
    path("models/<int:pk>/delete/", views.endpoint_delete, name="endpoint_delete"),
    path("p/<slug:slug>/runs/", views.run_list, name="run_list"),
    path("runs/<int:pk>/", views.run_page, name="run"),
    path("runs/<int:pk>/budget/", views.run_budget, name="run_budget"),
    path("runs/<int:pk>/unknown/", views.run_unknown, name="run_unknown"),
    path("runs/<int:pk>/compare/", views.run_compare, name="run_compare"),
    path("runs/<int:pk>/calls/", views.call_list, name="call_list"),
    path("runs/<int:pk>/calls/<int:call_pk>/", views.call_page, name="call"),
    re_path(
        r"^runs/(?P<pk>\d+)/(?P<action>pause|resume|cancel|retry|ask-again|give-up)/$",
        views.run_act,
        name="run_act",
    ),
]
