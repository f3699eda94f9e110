from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from projects.models import Invitation, Project, Role, User
from projects.services import SLUG_LENGTH, suggest_slug


class ProjectForm(forms.ModelForm):
    class Meta:
        model = Project
        fields = ["title", "description"]
        widgets = {"description": forms.Textarea({"rows": 4})}
        help_texts = {"description": _("What the texts and items are, and what you want to find out.")}


class NewProjectForm(ProjectForm):
    """An empty short name is made from the title; whether it is taken is checked when the project is stored."""

    field_order = ["title", "slug", "description"]
    slug = forms.SlugField(
        label=_("Short name"),
        max_length=SLUG_LENGTH,
        required=False,
        help_text=_(
            "Used in addresses and commands; it cannot be changed later. Leave empty to create it from the title."
        ),
    )

    def clean(self):
        super().clean()
        if self.cleaned_data.get("slug") == "" and self.cleaned_data.get("title"):
            self.cleaned_data["slug"] = suggest_slug(self.cleaned_data["title"])
            if not self.cleaned_data["slug"]:
                raise ValidationError({"slug": _("Use the letters a–z, digits and hyphens.")})


class RoleForm(forms.Form):
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)


class InvitationForm(forms.ModelForm):
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.RESEARCHER, widget=forms.RadioSelect)

    class Meta:
        model = Invitation
        fields = ["role", "note"]
        help_texts = {"note": _("A name or address that tells you whose link this is. Only owners see it.")}


class AccountForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ["first_name", "last_name", "email"]
        help_texts = {"email": _("You can sign in with it instead of the user name.")}
