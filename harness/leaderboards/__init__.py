"""Leaderboards: folders of submissions, which are checked, ranked and shown."""
