"""What `meta-eval` shows: tables, notes and figures."""
