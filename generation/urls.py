from django.urls import path

from generation import views

urlpatterns = [
    path("p/<slug:slug>/generate/", views.generation_new, name="generation_new"),
    path("p/<slug:slug>/incomplete/", views.generation_review, name="generation_review"),
    path("p/<slug:slug>/incomplete/<int:pk>/", views.incomplete_repair, name="incomplete_repair"),
    path("p/<slug:slug>/incomplete/<int:pk>/discard/", views.incomplete_discard, name="incomplete_discard"),
]
