"""Audits of training corpora: which rows of a leaderboard's tests they contain."""
