"""A browser for the tests of pages, and what they read off a page."""

import importlib.util
import os
import re
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
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


@pytest.fixture
def open_page(browser):
    """Opens a page in a window of its own; fails on errors, messages and requests at the end."""
    contexts, seen = [], SimpleNamespace(messages=[], requests=[])

    def open_page(path, hash="", **options):
        context = browser.new_context(accept_downloads=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)  # on a busy machine
        page.on("console", lambda message: seen.messages.append(message.text))
        page.on("pageerror", lambda error: seen.messages.append(str(error)))
        page.on("request", lambda request: seen.requests.append(request.url))
        page.goto(path.as_uri() + hash)
        for place in range(page.locator("[data-plot]").count()):
            page.locator("[data-plot]").nth(place).locator(".curve").first.wait_for()
        return page

    open_page.messages = seen.messages
    yield open_page
    for context in contexts:
        context.close()
    assert not seen.messages
    assert all(url.startswith(("file:", "blob:")) for url in seen.requests), seen.requests


def curves_of(page, plot):
    """The path of every curve of a chart, by name."""
    return page.evaluate(
        """(plot) => Object.fromEntries([...document.querySelectorAll(
            `[data-plot=${plot}] .curve`)].map((node) => [node.dataset.name,
            node.querySelector(".stroke").getAttribute("d")]))""",
        plot,
    )


def unpack(packed):
    """What a page's script does to read a packed list of numbers."""
    steps = np.array([np.nan if step is None else step for step in packed[1:]], float)
    return np.where(np.isnan(steps), np.nan, np.nancumsum(steps) * packed[0])


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
