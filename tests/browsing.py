"""A browser for the tests of pages, and what they read off a page."""

import importlib.util
import os
import re
import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser():
    """Debian's chromium, or a skip; a failure where the environment asks for a browser."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    why = (
        "no browser: none of " + ", ".join(BROWSERS) + " is installed"
        if program is None
        else "no playwright: pip install playwright"
        if importlib.util.find_spec("playwright") is None
        else ""
    )
    if why and os.environ.get("WOLFNEST_NEEDS_BROWSER"):
        pytest.fail(why)
    if why:
        pytest.skip(why)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield chromium
        chromium.close()


def hexadecimal(colour):
    """`rgb(1, 2, 3)` as `#010203`."""
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    return f"#{red:02x}{green:02x}{blue:02x}"
