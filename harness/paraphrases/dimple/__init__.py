"""Diversity-aware evaluation of paraphrase resources (Shima and Mitamura 2011)."""

CITATION = """
@inproceedings{shima2011diversity,
  title = {Diversity-aware Evaluation for Paraphrase Patterns},
  author = {Shima, Hideki and Mitamura, Teruko},
  booktitle = {Proceedings of the TextInfer 2011 Workshop on Textual Entailment},
  year = {2011}
}
"""
"""The paper of the metrics, as BibTeX."""
