from django.urls import path

from projects import views

urlpatterns = [
    path("", views.project_list, name="project_list"),
    path("projects/new/", views.project_new, name="project_new"),
    path("p/<slug:slug>/edit/", views.project_edit, name="project_edit"),
    path("p/<slug:slug>/members/", views.member_list, name="member_list"),
    path("p/<slug:slug>/members/<int:pk>/role/", views.member_role, name="member_role"),
    path("p/<slug:slug>/members/<int:pk>/remove/", views.member_remove, name="member_remove"),
    path("p/<slug:slug>/invitations/<int:pk>/revoke/", views.invitation_revoke, name="invitation_revoke"),
    path("invitation/<str:token>/", views.invitation, name="invitation"),
    path("sign-in/<str:token>/", views.sign_in_link, name="sign_in_link"),
    path("account/", views.account, name="account"),
    path("account/delete/", views.account_delete, name="account_delete"),
]
