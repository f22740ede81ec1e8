"""The result in a few lines of Markdown, for a README or a documentation page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

KEY = ("E2", "E4")


def markdown(info: dict[str, Any], judgement: Any, figures: list[Path], folder: Path) -> str:
    """Claims as a table, two figures, the command."""
    blocks = ["# Results"]
    if judgement is not None:
        blocks.append(
            "\n".join(
                ["| claim | in words | verdict | why |", "|---|---|---|---|"]
                + [
                    f"| {_cell(one.claim)} | {_cell(one.text)} | **{_cell(one.verdict)}** | "
                    f"{_cell(one.reason)} |"
                    for one in judgement.verdicts
                ]
            )
        )
    blocks += [
        f"![{path.stem}]({path.relative_to(folder).as_posix()})" for path in key_figures(figures)
    ]
    data = info.get("data") or {}
    if data:
        blocks.append("Data: " + ", ".join(map(str, data)) + ".")
    if info.get("command"):
        blocks.append(f"Made by:\n\n    {info['command']}")
    blocks.append("The page `index.html` has all curves, tuned parameters and costs.")
    return "\n\n".join(blocks) + "\n"


def key_figures(figures: list[Path]) -> list[Path]:
    """The first figure of E2 and of E4, or of what there is; against time where possible."""
    images = [path for path in figures if path.suffix == ".png"]
    images.sort(key=lambda path: not path.stem.endswith("-time"))
    found = [next((p for p in images if p.stem.startswith(f"{name}-")), None) for name in KEY]
    chosen = [path for path in found if path is not None]
    chosen += [path for path in images if path not in chosen]
    return chosen[:2]


def _cell(text: object) -> str:
    return " ".join(str(text).replace("|", r"\|").split())
