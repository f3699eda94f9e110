"""`{% remarks %} … {% endremarks %}` around tables: what is said of their numbers stands once, at the end."""

from django import template

from analysis.tables.page import Footnotes

register = template.Library()


class RemarksNode(template.Node):
    def __init__(self, nodelist):
        self.nodelist = nodelist

    def render(self, context):
        with context.push(remarks=Footnotes()):
            tables = self.nodelist.render(context)
            if not context["remarks"]:
                return tables
            return tables + context.template.engine.get_template("analysis/parts/remarks.html").render(context)


@register.tag
def remarks(parser, token):
    nodelist = parser.parse(("endremarks",))
    parser.delete_first_token()
    return RemarksNode(nodelist)


@register.simple_tag(takes_context=True)
def remarked(context, cell):
    """What a cell refers to; the tables stand between `remarks` and `endremarks`."""
    return context["remarks"].refer(cell.remarks)
