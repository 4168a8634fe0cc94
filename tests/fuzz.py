"""Fuzz all readers of files: `python tests/fuzz.py --seconds 120`, or `--replay FOLDER` to run a finding again."""

from __future__ import annotations

from fuzzing.program import main

if __name__ == "__main__":
    raise SystemExit(main())
