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


PAPER, NIGHT = "#ffffff", "#14181d"  # what a page's curves are seen on: light and dark


def contrast(colour, other):
    """The contrast ratio of two colours as accessibility guidelines define it, from 1 to 21."""
    one, two = sorted((luminance(colour), luminance(other)))
    return (two + 0.05) / (one + 0.05)


def luminance(colour):
    """Relative luminance of a colour: what is left of it in grey."""
    shares = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
