"""Render Markdown as HTML that is safe on any page: no link, no script, nothing from another host.

Formulas between dollar signs become MathML, which browsers render natively. Words of texts without markup stay
unchanged.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html import unescape
from xml.etree.ElementTree import tostring

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.dollarmath import dollarmath_plugin

from items.models import Markup, Text

MAX_FORMULA = 2_000
MAX_NESTING = 100  # brackets of a formula, which are parsed recursively
NOT_READ = ("link", "autolink", "reference", "html_block", "html_inline")
FIRST_HEADING = 3  # levels 1 and 2 are the titles of the page and of the text
HTML_TAGS = frozenset([
    "p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "h3", "h4", "h5", "h6",
    "table", "thead", "tbody", "tr", "th", "td", "img", "span", "div"
])  # fmt: skip
MATH_TAGS = frozenset([
    "math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup",
    "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom",
    "menclose", "mfenced", "mmultiscripts", "mprescripts", "none"
])  # fmt: skip
MATH_ATTRIBUTES = frozenset([
    "display", "displaystyle", "mathvariant", "stretchy", "fence", "separator", "form", "lspace", "rspace",
    "accent", "accentunder", "width", "height", "depth", "linethickness", "columnalign", "rowspacing",
    "columnspacing", "columnlines", "rowlines", "scriptlevel", "minsize", "maxsize", "notation",
    "movablelimits", "symmetric", "largeop"
])  # fmt: skip
ATTRIBUTES: dict[str, set[str]] = {
    "img": {"src", "alt", "class"},
    "div": {"class"},
    "ol": {"start"},
    **{tag: set(MATH_ATTRIBUTES) for tag in MATH_TAGS},
}

Locate = Callable[[str], str]
"""From the digest of a picture to the address at which a reader may see it."""


class BadFormula(ValueError):
    """Words between dollar signs that are no readable formula."""


def render_text(text: Text, locate: Locate) -> SafeString:
    """The whole text as HTML; only for texts with markup."""
    return render_markdown(text.body, text.pictures, locate)


def render_markdown(words: str, pictures: Mapping[str, str], locate: Locate) -> SafeString:
    """Words in Markdown as HTML. pictures: digests by name."""
    return clean(build_parser().render(words, {"pictures": pictures, "locate": locate}))


def render_wording(wording: str, text: Text, locate: Locate | None) -> str:
    """A question, option or answer about the text, on one line of HTML; unchanged without markup.

    Without addresses, pictures are replaced by their descriptions.
    """
    if text.markup != Markup.MARKDOWN or not wording:
        return wording
    pictures = text.pictures if locate else {}
    return clean(build_parser().renderInline(wording, {"pictures": pictures, "locate": locate}))


def find_named_pictures(words: str) -> list[str]:
    """The names of all pictures in these words, in order."""
    return [str(token.attrs["src"]) for token in walk_tokens(build_parser().parse(words)) if token.type == "image"]


def list_bad_formulas(words: str) -> list[str]:
    """The formulas that cannot be rendered, which are shown as source."""
    formulas = (token.content for token in walk_tokens(build_parser().parse(words)) if token.type in MATH_TOKENS)
    return [formula for formula in formulas if not is_formula(formula)]


MATH_TOKENS = ("math_inline", "math_inline_double", "math_block")


def walk_tokens(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from walk_tokens(token.children or [])


@cache
def build_parser() -> MarkdownIt:
    """CommonMark with tables and formulas; links and HTML stay plain characters."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(list(NOT_READ))
    dollarmath_plugin(parser, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    for name in MATH_TOKENS:
        parser.add_render_rule(name, render_formula)
    parser.add_render_rule("image", render_image)
    for name in ("heading_open", "heading_close"):
        parser.add_render_rule(name, render_heading)
    return parser


def render_formula(
    renderer: RendererProtocol, tokens: list[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    is_block = tokens[index].type != "math_inline"
    try:
        html = draw_formula(tokens[index].content, "block" if is_block else "inline")
    except BadFormula:
        html = f"<code>{escape(tokens[index].content)}</code>"
    return f'<div class="formula">{html}</div>\n' if tokens[index].type == "math_block" else html


def render_image(
    renderer: RendererProtocol, tokens: list[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """A picture of the text at the reader's address for it; for a missing picture, its description."""
    digest = env["pictures"].get(str(tokens[index].attrs["src"]))
    if digest is None:
        return str(escape(tokens[index].content))
    return f'<img class="picture" src="{escape(env["locate"](digest))}" alt="{escape(tokens[index].content)}">'


def render_heading(
    renderer: RendererProtocol, tokens: list[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[index]
    level = min(int(token.tag[1:]) + FIRST_HEADING - 1, 6)
    return f"<h{level}>" if token.nesting == 1 else f"</h{level}>\n"


def is_formula(source: str) -> bool:
    try:
        draw_formula(source, "inline")
    except BadFormula:
        return False
    return True


def draw_formula(source: str, display: str) -> str:
    """The formula as MathML. Raises BadFormula."""
    if len(source) > MAX_FORMULA or source.count("{") > MAX_NESTING:
        raise BadFormula(source)
    try:
        root = convert_to_element(source, display=display)
    except Exception as error:  # the package has no exceptions of its own
        raise BadFormula(source) from error
    for element in root.iter():
        element.text = unescape(element.text or "")  # it contains character references
        if "\\" in element.text:  # a command that the package does not know
            raise BadFormula(source)
    return tostring(root, encoding="unicode")


def clean(html: str) -> SafeString:
    """The HTML with only allowed tags and attributes, and addresses on this site only."""
    return mark_safe(  # noqa: S308 - cleaned here
        nh3.clean(
            html,
            tags=set(HTML_TAGS | MATH_TAGS),
            attributes=ATTRIBUTES,
            url_schemes=set(),
            link_rel=None,
            generic_attribute_prefixes=set(),
        )
    )
