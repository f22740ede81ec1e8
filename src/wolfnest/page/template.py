"""Pages from templates: one file that asks for nothing, and runs no script but its own.

Templates, scripts and styles lie in the folders `assets` of this package and of the package that a
page is about. What goes into a template is escaped; numbers are shortened.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from wolfnest.common import formatting, tables
from wolfnest.common.imports import optional

PACKAGE = "wolfnest.page"
SCRIPTS = ("scales", "chart", "filters")


def render(
    package: str,
    name: str,
    *,
    scripts: Sequence[str],
    payload: Mapping[str, Any],
    **fields: Any,
) -> str:
    """The page of the template `name` in a package's assets, which extends "page/base.html".

    `scripts` of that package run after those that all pages share, and find the values of
    `payload` in elements with their names as ids; `fields` are what the template names.
    """
    code = "\n".join([*map(asset, SCRIPTS), *(asset(one, package) for one in scripts)])
    code = f'(() => {{\n"use strict";\n{code}}})();\n'  # out of reach of anything else
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    found = _environment(package).get_template(f"own/{name}.html")
    return found.render(
        style=safe(asset("page", kind="css")),
        script=safe(code),
        fingerprint=f"sha256-{digest}",
        payload=payload,
        **fields,
    )


def asset(name: str, package: str = PACKAGE, kind: str = "js") -> str:
    """A file of a package's folder of assets.

    >>> asset("scales")[:2]
    '//'
    """
    path = resources.files(package).joinpath("assets", f"{name}.{kind}")
    return path.read_text(encoding="utf-8")


def _environment(package: str) -> Any:
    jinja2: Any = optional("jinja2", "portfolio", "a page")
    loader = lambda package: jinja2.PackageLoader(package, "assets")
    made = jinja2.Environment(
        loader=jinja2.PrefixLoader({"page": loader(PACKAGE), "own": loader(package)}),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: value if hasattr(value, "__html__") else formatting.shown(value),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    compact = {"ensure_ascii": False, "separators": (",", ":"), "allow_nan": False}
    made.policies["json.dumps_kwargs"] = compact
    made.globals["html"] = lambda *given, **options: safe(tables.html(*given, **options))
    return made


def safe(text: str, *parts: Any) -> Any:
    """HTML that is not escaped again, with parts that are in its places.

    >>> print(safe("<b>{}</b>", "1 < 2"))
    <b>1 &lt; 2</b>
    """
    from markupsafe import Markup

    return Markup(text).format(*parts) if parts else Markup(text)
