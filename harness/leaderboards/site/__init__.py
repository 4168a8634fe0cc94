"""Leaderboards as static sites: their entries, charts and pages."""
