"""The rules of the tests: their options, and the propositions, pairs and questions that follow from them."""
