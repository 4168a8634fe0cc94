"""Reports of results: tables, and pages with figures."""
