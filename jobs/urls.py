from django.urls import path

from jobs import views

urlpatterns = [path("jobs/<int:pk>/", views.job_page, name="job")]
