"""Read the files of DUCView, in which the pyramids of DUC and TAC are annotated."""
