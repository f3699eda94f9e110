"""What people change about their own account."""

from allauth.account.models import EmailAddress
from django.db import transaction

from projects.models import User


@transaction.atomic
def change_account(user: User, *, first_name: str, last_name: str, email: str) -> None:
    """Saves name and address. A former address ends with it: it must not open the account any longer."""
    user.first_name, user.last_name, user.email = first_name, last_name, email
    user.save(update_fields=["first_name", "last_name", "email"])
    EmailAddress.objects.filter(user=user).exclude(email__iexact=email).delete()
