"""Leaderboards: folders of submissions, with checks, rankings and pages."""
