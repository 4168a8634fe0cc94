"""Checks, acceptance and rankings of submissions to a leaderboard."""
