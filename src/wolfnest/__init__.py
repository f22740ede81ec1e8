"""Nested objectives, Frank-Wolfe steps.

Minimise `f_K ∘ … ∘ f_1` over a convex set when every level is seen only through samples and the
set only through its linear minimisation oracle.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from wolfnest.api import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """A module or a public name, loaded now: `wolfnest --help` need not wait for JAX."""
        if name == "__all__" or not name.startswith("_"):
            if name.isidentifier() and find_spec(f"{__name__}.{name}") is not None:
                return import_module(f"{__name__}.{name}")
            api = import_module(f"{__name__}.api")
            if hasattr(api, name):
                return globals().setdefault(name, getattr(api, name))
        said, here = f"module {__name__!r} has no attribute {name!r}", import_module(__name__)
        raise AttributeError(said, name=name, obj=here)

    def __dir__() -> list[str]:
        return [*import_module(f"{__name__}.api").__all__, "__version__"]
