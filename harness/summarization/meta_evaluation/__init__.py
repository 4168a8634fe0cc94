"""Agreement between the scores of summaries and the judgements of people."""
