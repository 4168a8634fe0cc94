"""The command line, and the home of the evaluation of models on the tests of `pyramid_paraphrase`."""
