"""Sentence models, which are evaluated on the pairs and questions of `pyramid_paraphrase`."""
