"""Formats of files: DUCView, aligned corpora, SCU labels, and corpora of labelled pairs."""
