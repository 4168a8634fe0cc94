"""Tools for collecting paraphrases: choice of questions, and agreement of annotators (Xu et al. 2015)."""
