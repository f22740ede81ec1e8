"""Figures: the paper's layout, what is in them, the same bytes every time."""

import numpy as np
import pytest
import synthetic

from wolfnest_reproduction.show import averages, captions, figures, legend

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def found(results):
    return averages.points(results.traces)


def part(found, experiment, horizon=400):
    return found[(found["experiment"] == experiment) & (found["horizon"] == horizon)]


def panels(figure, rows):
    grid = np.array(figure.axes, dtype=object).reshape(rows, -1)
    return grid, [panel.get_title() for panel in grid[0]]


def drawn(panel):
    """The lines of a panel, without the empty ones of the legend."""
    return [line for line in panel.lines if len(line.get_xdata())]


def test_rows_are_data_and_columns_are_criteria(found):
    figure = figures.draw(part(found, "E2"), "time")
    grid, titles = panels(figure, 2)
    assert titles == ["Optimal gap", "Frank-Wolfe gap", "Gradient mapping"]
    assert [panel.get_ylabel() for panel in grid[:, 0]] == ["Industry-10", "Industry-17"]
    assert all(panel.get_yscale() == "log" for panel in grid.flat)
    assert grid[-1, 0].get_xlabel() == "Time (ms)"
    assert len(drawn(grid[0, 0])) == 11
    assert len(grid[0, 0].collections) == 11


def test_data_sets_with_a_horizon_of_their_own_share_a_figure(small, tmp_path):
    averaged = averages.points(small.traces)
    lengths = averaged["data"].map({"Industry-10": 400, "Industry-17": 100})
    files = figures.write(averaged.assign(horizon=lengths), tmp_path, ["step"], ["png"])
    assert [path.name for path in files] == ["E2-lambda-1-step.png"]
    figure = figures.draw(averaged.assign(horizon=lengths), "step")
    assert [panel.get_ylabel() for panel in figure.axes[::3]] == ["Industry-10", "Industry-17"]
    assert "horizon 100 to 400 iterations" in figure.texts[0].get_text()


def test_e1_has_two_columns(found):
    figure = figures.draw(part(found, "E1"), "samples")
    grid, titles = panels(figure, 2)
    assert titles == ["Frank-Wolfe gap", "Gradient mapping"]
    assert [panel.get_ylabel() for panel in grid[:, 0]] == ["20 x 20", "100 x 100"]


def test_the_objective_stands_in_where_no_optimum_is_known(found):
    nan = part(found, "E3").assign(optimal_gap=np.nan)
    grid, titles = panels(figures.draw(nan, "step"), 2)
    assert titles == ["Objective", "Frank-Wolfe gap", "Gradient mapping"]
    assert grid[0, 0].get_yscale() == "linear"


def test_lines_look_like_the_style(found):
    figure = figures.draw(part(found, "E2"), "time")
    (drawn,) = figure.legends
    names = [text.get_text() for text in drawn.get_texts()]
    assert set(names) == {*synthetic.PLAIN, *synthetic.RIVALS, "automatic"}
    for line, name in zip(drawn.get_lines(), names, strict=True):
        look = legend.look(name)
        assert line.get_color() == look.colour
        assert (line.get_linestyle() == "--") == bool(look.dash)


def test_methods_that_project_are_not_drawn_against_lmo_calls(found):
    figure = figures.draw(part(found, "E2"), "lmo")
    names = {text.get_text() for text in figure.legends[0].get_texts()}
    assert "LiNASA+ICG" in names
    assert not names & synthetic.PROJECTING


def test_separate_batches_stand_next_to_their_shared_form_only(found):
    figure = figures.draw(part(found, "E4"), "samples", "separate")
    names = {text.get_text() for text in figure.legends[0].get_texts()}
    assert names == {"PMVR-v1", "PMVR-v2", "PMVR-v1 (separate)", "PMVR-v2 (separate)"}


def test_a_logarithmic_axis_has_no_zero(found):
    figure = figures.draw(part(found, "E2"), "time", scale="log")
    for line in drawn(figure.axes[0]):
        assert (np.asarray(line.get_xdata()) > 0).all()


def test_captions_say_what_was_averaged(found):
    text = captions.curves(part(found, "E5"), ["PMM-v2", "PMVR-v1", "PMM-v2"])
    assert "E5" in text
    assert "batch 32" in text
    assert "Mean over 4 seeds (of logarithms" in text
    assert text.endswith("beyond the axis: PMVR-v1, PMM-v2.")


def test_wrong_axes_and_scales_are_named(found):
    with pytest.raises(
        ValueError, match="axis must be one of 'time', 'step', 'samples', 'lmo', got 'x'"
    ):
        figures.draw(part(found, "E2"), "x")
    with pytest.raises(ValueError, match="scale must be one of 'linear', 'log', got 'loglog'"):
        figures.draw(part(found, "E2"), "time", scale="loglog")


def test_files_are_named_after_what_they_show_and_stay_the_same(small, tmp_path):
    averaged = averages.points(small.traces)
    files = figures.write(averaged, tmp_path / "a")
    assert [path.name for path in files] == [
        f"E2-lambda-1-horizon-400-{name}.{ending}"
        for name in ("time", "samples", "separate-samples")
        for ending in ("png", "pdf")
    ]
    assert files[0].read_bytes().startswith(b"\x89PNG")
    assert files[1].read_bytes().startswith(b"%PDF")
    for one, two in zip(files, figures.write(averaged, tmp_path / "b"), strict=True):
        assert one.read_bytes() == two.read_bytes(), one.name
    assert {path.name for path in (tmp_path / "a").iterdir()} == {path.name for path in files}


def test_settings_that_look_alike_get_files_of_their_own(small, tmp_path):
    averaged = averages.points(small.traces)
    import pandas as pd

    both = pd.concat([averaged, averaged.assign(setting="λ 1")], ignore_index=True)
    files = figures.write(both, tmp_path, ["time"], ["png"])
    assert len({path.name for path in files}) == 2


def test_the_users_matplotlib_is_left_alone(small):
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    figures.draw(averages.points(small.traces), "time")
    assert dict(mpl.rcParams) == before
