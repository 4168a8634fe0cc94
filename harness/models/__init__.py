"""Models of sentences, to be tested on the pairs and questions of `pyramid_paraphrase`."""
