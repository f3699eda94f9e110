"""The page of one's own account."""

from allauth.account.models import EmailAddress
from django.urls import reverse

from projects.models import AuditEntry, Membership, User

DATA = {"first_name": "Nina", "last_name": "New", "email": "nina@example.org"}


def test_name_and_address_are_stored(newcomer, as_user):
    as_user(newcomer).post(reverse("account"), DATA)
    newcomer.refresh_from_db()
    assert (newcomer.get_full_name(), newcomer.email) == ("Nina New", "nina@example.org")


def test_broken_address_stores_nothing(newcomer, as_user):
    page = as_user(newcomer).post(reverse("account"), DATA | {"email": "nowhere"})
    newcomer.refresh_from_db()
    assert page.context["form"].errors["email"]
    assert newcomer.first_name == ""


def test_former_address_no_longer_signs_in(newcomer, client):
    EmailAddress.objects.create(user=newcomer, email="old@example.org", primary=True)
    User.objects.filter(pk=newcomer.pk).update(email="old@example.org")
    client.force_login(newcomer)
    client.post(reverse("account"), DATA)
    client.logout()
    client.post("/accounts/login/", {"login": "old@example.org", "password": "correct horse battery"})
    assert "_auth_user_id" not in client.session


def test_fields_that_are_not_offered_cannot_be_set(newcomer, as_user):
    as_user(newcomer).post(reverse("account"), DATA | {"is_superuser": "on", "username": "chief"})
    newcomer.refresh_from_db()
    assert (newcomer.is_superuser, newcomer.username) == (False, "newcomer")


def test_own_memberships_are_listed(viewer, stranger, as_user):
    page = as_user(viewer).get(reverse("account")).content.decode()
    assert "Rivers" in page
    assert "Mountains" not in page


def test_password_is_changed_with_the_old_one(newcomer, as_user):
    data = {"oldpassword": "correct horse battery", "password1": "blue-river-9481", "password2": "blue-river-9481"}
    as_user(newcomer).post("/accounts/password/change/", data)
    newcomer.refresh_from_db()
    assert newcomer.check_password("blue-river-9481")


def test_who_came_by_link_is_offered_to_set_a_password(db, as_user):
    admin = User.objects.create_superuser("chief")
    assert reverse("account_set_password") in as_user(admin).get(reverse("account")).content.decode()


def delete_as(client, name):
    return client.post(reverse("account_delete"), {"confirmed": name})


def test_an_account_is_deleted_by_typing_its_name_and_what_it_made_stays(as_user, researcher, project):
    client = as_user(researcher)
    assert delete_as(client, "somebody").context["problem"]
    assert User.objects.filter(pk=researcher.pk).exists()
    assert delete_as(client, researcher.username).status_code == 302
    assert not User.objects.filter(pk=researcher.pk).exists()
    assert not Membership.objects.filter(project=project).exists()
    assert client.get(reverse("account")).status_code == 302
    entry = AuditEntry.objects.get(act="member_removed")
    assert (entry.user_id, entry.subject_id) == (researcher.pk, researcher.pk)


def test_the_only_owner_and_the_only_admin_stay(as_user, owner, admin_user, project):
    for user in (owner, admin_user):
        assert delete_as(as_user(user), user.username).context["problem"]
    assert User.objects.filter(pk__in=[owner.pk, admin_user.pk]).count() == 2
    assert Membership.objects.filter(user=owner, project=project).exists()
