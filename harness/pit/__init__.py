"""SemEval-2015 task 1, Paraphrase and Semantic Similarity in Twitter: outputs of systems, scored and compared."""
