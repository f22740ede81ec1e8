"""The command line."""

import json
import os
import re
import shlex
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import wolfnest as wn
from wolfnest import cli

# A terminal of 80 columns that shows no colours.
PLAIN = {"COLUMNS": "80", "TERMINAL_WIDTH": "80", "NO_COLOR": "1", "TERM": "dumb"}


def run(*arguments, width=80):
    sizes = {"COLUMNS": str(width), "TERMINAL_WIDTH": str(width)}
    return CliRunner().invoke(cli.app, arguments, env=PLAIN | sizes, prog_name="wolfnest")


# ---- all commands ----------------------------------------------------------------------------


def test_help_names_every_command():
    done = run("--help")
    assert done.exit_code == 0
    for command in cli.app.registered_commands:
        assert command.callback.__name__ in done.output


def test_without_arguments_there_is_help():
    assert run().output.split() == run("--help").output.split()


HELP = [(), *((command.callback.__name__,) for command in cli.app.registered_commands)]
BARE = cli.command_line([])  # as it is without the packages beside this one


@pytest.mark.parametrize("command", HELP, ids=lambda command: " ".join(command) or "wolfnest")
def test_help_has_an_example_that_runs(command):
    examples = re.findall(r"Example: wolfnest (.*)", run(*command, "--help").output)
    assert examples
    for example in examples:
        assert run(*shlex.split(example)).exit_code == 0


def test_version():
    done = run("--version")
    assert (done.exit_code, done.output) == (0, f"wolfnest {wn.__version__}\n")


def test_what_is_not_a_command_is_refused():
    assert run("nothing").exit_code == 2
    assert run("methods", "--nothing").exit_code == 2


@pytest.mark.parametrize("name", ["reproduce", "bench"])
@pytest.mark.parametrize("rest", [(), ("--help",), ("E2", "--quick", "--jobs", "2")])
def test_what_is_in_a_package_of_its_own_says_what_to_install(name, rest):
    done = CliRunner().invoke(BARE, [name, *rest], prog_name="wolfnest")
    assert done.exit_code == 2
    (said,) = done.output.splitlines()
    assert said.startswith(f"wolfnest: {name} is in a package of its own: in a checkout")


def test_what_is_not_installed_is_not_in_the_help():
    commands = [command for command in BARE.registered_commands if not command.hidden]
    assert [c.callback.__name__ for c in commands] == ["methods", "data", "portfolio"]


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_do_not_wait_for_jax(argument):
    code = f"import sys\nsys.argv = ['wolfnest', {argument!r}]\nfrom wolfnest import cli\n"
    last = "try:\n    cli.main()\nfinally:\n    print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code + last], capture_output=True, text=True, timeout=120, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "typer" in loaded
    assert not loaded & {"jax", "numpy", "pandas", "equinox"}


def test_python_runs_the_package():
    done = subprocess.run(
        [sys.executable, "-m", "wolfnest", "methods", "1-sfw"],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.decode().strip() == wn.methods.describe("1-SFW")


# ---- methods ---------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_methods_lists_all_of_them_within_the_terminal(width):
    done = run("methods", width=width)
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert max(map(len, lines)) <= width
    listed = [line.split()[0] for line in lines if re.match(r"\S+ +[K1] ", line)]
    assert listed == list(wn.methods.names())


def test_methods_in_80_columns_keeps_rates_in_one_piece():
    text = run("methods").output
    rates = {
        regime
        for card in wn.methods.table()
        for part in card.rate.splitlines()
        for regime in part.split(": ")[1].split("; ")
    }
    assert all(rate in text for rate in rates)


@pytest.mark.parametrize("name", wn.methods.names())
def test_methods_describes_one(name):
    assert run("methods", name).output.strip() == wn.methods.describe(name)


def test_methods_as_json():
    found = json.loads(run("methods", "--json").output)
    assert [entry["name"] for entry in found] == list(wn.methods.names())
    for entry in found:
        defaults = {key: setting["default"] for key, setting in entry["settings"].items()}
        assert defaults == wn.methods.settings(entry["name"])
        assert json.loads(run("methods", entry["name"], "--json").output) == entry
    assert found[0]["projection_free"] is True
    assert found[0]["rate"].startswith("Frank-Wolfe gap ≤ ε: SFO ε⁻³")


@pytest.mark.parametrize("extra", [(), ("--json",)])
def test_a_method_that_is_not_known_lists_those_that_are(extra):
    done = run("methods", "nothing", *extra)
    assert done.exit_code == 2
    assert "unknown method 'nothing'" in done.output
    assert all(name in done.output for name in wn.methods.names())
    assert "Traceback" not in done.output
