"""Made-up results, the report on them, and a browser to read it with."""

import importlib.util
import os
import shutil

import pytest
import synthetic

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def results():
    return synthetic.results()


@pytest.fixture(scope="session")
def judgement(results):
    return synthetic.judgement(results)


@pytest.fixture(scope="session")
def small():
    """One experiment, three methods of different kinds: enough to draw."""
    cast = {"E2": ["PMVR-v1", "SCSC", "PMVR-v1 (separate)"]}
    return synthetic.results(experiments=("E2",), horizons=(400,), seeds=3, records=6, cast=cast)


@pytest.fixture(scope="session")
def site(results, judgement, tmp_path_factory):
    """The folder of a report without figures, which take most of the time."""
    from wolfnest import report

    folder = tmp_path_factory.mktemp("site")
    report.write(results, folder, judgement, formats=())
    return folder


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
