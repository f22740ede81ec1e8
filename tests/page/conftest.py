"""The two kinds of pages with made-up data."""

import judged
import pytest
import synthetic
from holdings import returns_frame


@pytest.fixture(scope="session")
def judgement():
    return judged.judgement(synthetic.results())


@pytest.fixture(scope="session")
def report_page(judgement, tmp_path_factory):
    """The page on a reproduction, without figures, which take most of the time."""
    from wolfnest_reproduction import show

    folder = tmp_path_factory.mktemp("report")
    return show.write(synthetic.results(), folder, judgement, formats=())


@pytest.fixture(scope="session")
def portfolio_page(tmp_path_factory):
    """The page on a long-short portfolio whose data have names that must be escaped."""
    from wolfnest.portfolio import PortfolioOptimizer, report, study
    from wolfnest.portfolio.reading import NotedReturns

    frame = returns_frame(120, 5).rename(columns={"BB": "<b>B&B</b>", "CC": "</script>"})
    table = NotedReturns(frame, "made <up>.csv", ("taken as returns: there are negative values",))
    model = PortfolioOptimizer("variance", 20.0, long_only=False, gross=1.4, max_weight=0.6)
    found = study.extended(study.fitted(table, model), (60, 20), lambda id, seconds: None)
    path = tmp_path_factory.mktemp("portfolio") / "index.html"
    path.write_text(report.contents(found, "wolfnest portfolio made.csv")["index.html"])
    return path
