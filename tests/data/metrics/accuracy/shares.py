"""Shares of rows."""


def share_equal(predictions, references):
    return sum(map(int.__eq__, predictions, references)) / len(references)
