"""How well scores of summaries agree with what people judged."""
