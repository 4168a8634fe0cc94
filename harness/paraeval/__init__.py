"""ParaEval (Zhou et al. 2006): summaries compared word by word, paraphrases before equal words."""
