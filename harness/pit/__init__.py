"""SemEval-2015 task 1, Paraphrase and Semantic Similarity in Twitter: scores and comparison of system outputs."""
