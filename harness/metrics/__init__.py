"""The metrics: arithmetic on rows with scores, the table of metrics, and their resampling."""

CITATION = """
@inproceedings{baumel2016sentence,
  title = {Sentence Embedding Evaluation Using Pyramid Annotation},
  author = {Baumel, Tal and Cohen, Raphael and Elhadad, Michael},
  booktitle = {Proceedings of the 1st Workshop on Evaluating Vector-Space Representations for NLP},
  year = {2016}
}
"""
"""The paper that defines the metrics."""
