"""What a page is put together from: package files, one script, and the policy that lets it run."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources


def asset(name: str, package: str = "wolfnest.page") -> str:
    """A file of a package's folder of assets.

    >>> asset("scales.js")[:2]
    '//'
    """
    return resources.files(package).joinpath("assets", name).read_text(encoding="utf-8")


def program(*scripts: str) -> str:
    """All scripts as one, out of reach of anything else."""
    parts = "\n".join(scripts)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def fingerprint(code: str) -> str:
    """What the page's security policy knows its script by: no other script runs."""
    return "sha256-" + base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
