from django.urls import path

from annotation import views
from annotation.open_link import open_link
from annotation.views import own_answers, preview_phase

urlpatterns = [
    path("s/<slug:slug>/phases/<slug:name>/preview/", preview_phase, name="phase_preview"),
    path("open/<str:token>/", open_link, name="open_link"),
    path("join/<str:token>/", views.join, name="join"),
    path("mine/<str:public_id>/", own_answers, name="own_answers"),
    path("work/<str:public_id>/", views.work, name="work"),
    path("work/<str:public_id>/confirm/", views.confirm, name="work_confirm"),
    path("work/<str:public_id>/draft/", views.draft, name="work_draft"),
    path("work/<str:public_id>/pictures/<str:name>/", views.picture, name="work_picture"),
]
