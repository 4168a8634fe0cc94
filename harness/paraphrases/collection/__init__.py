"""Tools for those who collect paraphrases: what to ask annotators, and how far to trust them (Xu et al. 2015)."""
