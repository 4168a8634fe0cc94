"""Scores of summaries, and the evaluation of such scores by judgements of people."""
