"""Results for people: tables, and a page with figures."""
