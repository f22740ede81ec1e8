"""What a command says about itself in `--help`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Run = TypeVar("Run", bound=Callable[..., None])


def command(words: str, example: str, **settings: Any) -> Callable[[Run], Run]:
    """Gives a function its words in `--help`. Its docstring would be lost under `python -OO`.

    `settings` are those of `typer.Typer.command`, which `told` hands over with the words.

    >>> @command("Say hello.", example="wolfnest hello")
    ... def hello() -> None: ...
    >>> told(hello)
    {'help': 'Say hello.', 'epilog': 'Example: wolfnest hello'}
    """

    def mark(run: Run) -> Run:
        run.told = {"help": words, "epilog": f"Example: {example}", **settings}  # type: ignore[attr-defined]
        return run

    return mark


def told(run: Callable[..., None]) -> dict[str, Any]:
    """What `command` gave a function; nothing for any other."""
    return getattr(run, "told", {})
