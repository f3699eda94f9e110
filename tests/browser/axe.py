"""What axe finds wrong with the accessibility of a page."""

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

FOR_RESEARCHERS = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
RUN = """options => axe.run({ resultTypes: ["violations"], ...options }).then(({ violations }) =>
  violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0].html}`))"""


def find_faults(page: Page, **options: object) -> list[str]:
    """Each rule that the page breaks, with the first element that breaks it. A page is given axe once."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return page.evaluate(RUN, options)
