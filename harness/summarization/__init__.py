"""Scores of summaries, and the evaluation of metrics of summaries by judgements of people."""
