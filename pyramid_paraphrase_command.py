"""The entry point of the command `pyramid-paraphrase`. It is outside of the package that it checks.

Another distribution, `harness` on PyPI, installs a package of the same name as ours. pip replaces files of other
distributions without a message, and removes them with the distribution that replaced them.
"""

from __future__ import annotations

import importlib
import sys

_OURS = "pyramid-paraphrase"


def main() -> int:
    """Run the command, if the package `harness` is ours.

    Returns:
        The exit status: that of `harness.cli.main`, or 2 if the files of the package are not ours.
    """
    try:
        harness = importlib.import_module("harness")
    except Exception:  # the files of another distribution can fail in any way
        harness = None
    if getattr(harness, "DISTRIBUTION", None) != _OURS:
        print(f"pyramid-paraphrase: {_describe()}", file=sys.stderr)  # noqa: T201 - the module that prints is replaced, too
        return 2
    status: int = importlib.import_module("harness.cli").main()
    return status


def _describe() -> str:
    """Describe the replaced package, with the commands that restore it."""
    from importlib import metadata  # only where it is needed: it takes long to import

    others = sorted(set(metadata.packages_distributions().get("harness", ())) - {_OURS})
    reason = "the package 'harness' contains files of another distribution, or some of its files were removed"
    if others:
        reason = f"the package 'harness' contains files of another distribution: {', '.join(map(ascii, others))}"
    uninstall = "".join(f"pip uninstall {name}; " for name in others)
    return f"{reason}. Run: {uninstall}pip install --force-reinstall --no-deps {_OURS}"


if __name__ == "__main__":
    sys.exit(main())
