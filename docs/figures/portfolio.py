"""Draw the pictures of the page on portfolios: `python docs/figures/portfolio.py --help`."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np

from wolfnest import datasets
from wolfnest.portfolio import (
    EqualWeighted,
    PortfolioOptimizer,
    backtest,
    contributions,
    frontier,
)

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = {"semideviation": "#1f78c8", "cvar": "#c96a00", "variance": "#1b8a4b"}
MAX_WEIGHT, TRAIN, TEST = 0.15, 1_260, 126


def draw_weights(axes, returns) -> None:
    """Weights and shares of risk of the portfolio in the walkthrough."""
    model = PortfolioOptimizer("semideviation", max_weight=MAX_WEIGHT).fit(returns)
    shares = contributions(returns, model.weights_, "semideviation")
    order = np.argsort(-model.weights_.to_numpy())
    order = order[model.weights_.to_numpy()[order] > 5e-4]
    places = np.arange(len(order))
    names = [model.weights_.index[i] for i in order]
    axes.barh(places - 0.2, 100 * model.weights_.to_numpy()[order], 0.38, label="weight")
    axes.barh(places + 0.2, 100 * shares[order], 0.38, label="share of risk", color="#e0a050")
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.set(xlabel="%", title="Least semideviation for its return")
    axes.legend()


def draw_frontiers(axes, returns) -> None:
    """Three frontiers, all in the plane of mean and standard deviation."""
    values = returns.to_numpy()
    for name, colour in COLOURS.items():
        weights = frontier(returns, name).weights
        gains = values @ weights.T
        spread, mean = 100 * gains.std(0), 100 * gains.mean(0)
        axes.plot(spread, mean, "o-", ms=3, color=colour, label=name)
    equal = values.mean(1)
    axes.plot(100 * equal.std(), 100 * equal.mean(), "k+", ms=10, mew=2, label="equal weights")
    axes.set(xlabel="standard deviation, % a day", ylabel="mean return, % a day")
    axes.set_title("Efficient frontiers")
    axes.legend()


def draw_growth(axes, returns) -> None:
    """The walk-forward test of the walkthrough."""
    limits = {"max_weight": MAX_WEIGHT}
    strategies = {
        "semideviation": PortfolioOptimizer("semideviation", **limits),
        "minimum variance": PortfolioOptimizer("variance", np.inf, **limits),
        "equal weights": EqualWeighted(),
    }
    growth = backtest(returns, strategies, train=TRAIN, test=TEST).growth()
    for name, style in zip(growth, ("-", "--", ":"), strict=True):
        axes.plot(growth.index, growth[name], style, label=name)
    axes.set(yscale="log", ylabel="what 1 became", title="Out of sample")
    axes.legend()


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Draw the pictures of docs/portfolio.md from the S&P 500 set of skfolio.",
        epilog="example: python docs/figures/portfolio.py",
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="a folder")
    options = parser.parse_args()
    returns = datasets.sp500().to_frame() / 100
    pictures = {"weights": draw_weights, "frontiers": draw_frontiers, "growth": draw_growth}
    for name, draw in pictures.items():
        figure, axes = plt.subplots(figsize=(6, 3.8), layout="constrained")
        draw(axes, returns)
        path = options.out / f"portfolio_{name}.png"
        figure.savefig(path, dpi=110)
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
