"""The output of `meta-eval`: tables, notes and figures."""
