from django.urls import path

from annotation import views

urlpatterns = [
    path("join/<str:token>/", views.join, name="join"),
    path("work/<str:public_id>/", views.work, name="work"),
    path("work/<str:public_id>/confirm/", views.confirm, name="work_confirm"),
    path("work/<str:public_id>/draft/", views.draft, name="work_draft"),
]
