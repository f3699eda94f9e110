"""Scripts that are put into one file still run as one."""

import pytest

from config import static_build, static_files

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", [name for name in static_files.BUNDLES if name.endswith(".js")])
def test_a_bundle_is_one_script_without_a_name_given_twice(chromium, name):
    page = chromium.new_page()
    page.evaluate("source => void new Function(source)", static_files.bundle(static_build.SOURCES / name))
    page.close()
