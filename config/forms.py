"""How forms are rendered: with one template for all of them."""

from django.forms.renderers import TemplatesSetting


class PageRenderer(TemplatesSetting):
    form_template_name = "parts/form.html"
