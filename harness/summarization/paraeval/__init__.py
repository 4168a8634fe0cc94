"""ParaEval (Zhou et al. 2006): summaries compared word by word, paraphrases before equal words."""

CITATION = """
@inproceedings{zhou2006paraeval,
  title = {{ParaEval}: Using Paraphrases to Evaluate Summaries Automatically},
  author = {Zhou, Liang and Lin, Chin-Yew and Munteanu, Dragos Stefan and Hovy, Eduard},
  booktitle = {Proceedings of the Human Language Technology Conference of the {NAACL}},
  pages = {447--454},
  year = {2006}
}
"""
