"""Fuzz everything that reads a file: `python tests/fuzz.py --seconds 120`, or `--replay FOLDER` for a finding."""

from __future__ import annotations

from fuzzing.program import main

if __name__ == "__main__":
    raise SystemExit(main())
