"""The files of a leaderboard: its description, submissions and reproductions."""
