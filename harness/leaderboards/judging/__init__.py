"""Which submissions to a leaderboard are accepted."""
