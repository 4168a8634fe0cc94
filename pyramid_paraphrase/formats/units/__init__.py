"""Corpora of units of single references: which units does a summary express?"""
