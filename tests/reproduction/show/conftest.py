"""Made-up results, the report on them, and a browser to read it with."""

import judged
import pytest
import synthetic


@pytest.fixture(scope="session")
def results():
    return synthetic.results()


@pytest.fixture(scope="session")
def judgement(results):
    return judged.judgement(results)


@pytest.fixture(scope="session")
def small():
    """One experiment, three methods of different kinds: enough to draw."""
    cast = {"E2": ["PMVR-v1", "SCSC", "PMVR-v1 (separate)"]}
    return synthetic.results(experiments=("E2",), horizons=(400,), seeds=3, records=6, cast=cast)


@pytest.fixture(scope="session")
def site(results, judgement, tmp_path_factory):
    """The folder of a report without figures, which take most of the time."""
    from wolfnest_reproduction import show as report

    folder = tmp_path_factory.mktemp("site")
    report.write(results, folder, judgement, formats=())
    return folder
