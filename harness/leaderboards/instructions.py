"""The README of a leaderboard: how to submit, how to maintain it."""

from __future__ import annotations

_TEXT = """---
license: cc0-1.0
language:
- en
tags:
- leaderboard
- sentence-embeddings
- paraphrase
---

# {title}

Models on the tests of pyramid-paraphrase. Everything here is free of
text: ids, right responses, topics, scores. `leaderboard.json` says on which data models are ranked.

## Submit a model

Take a copy of this folder, evaluate the model on the data of `leaderboard.json`, and enter the result:

```bash
pyramid-paraphrase evaluate --model MODEL --data SOURCE --task binary,ranking,binary_matched,ranking_matched
pyramid-paraphrase submit RESULT --to FOLDER --contact YOU --model-link URL --training-data TEXT --saw-test-data no
```

Then offer the new folder under `submissions/` as a change: a pull request, or whatever this folder is shared by.

## Maintain it

```bash
pyramid-paraphrase leaderboard check FOLDER
pyramid-paraphrase leaderboard reproduce FOLDER/submissions/NAME --data SOURCE
pyramid-paraphrase leaderboard render FOLDER --output site
```

`check` recomputes every number of every submission from its scores and the keys in `keys/`. What it cannot see is
whether the scores were made by the model: `reproduce` runs it again, and writes what came out under `reproductions/`.
Of submissions with the same name, model or scores, the one that was run again stays, or else the earlier one.
Accept changes under `submissions/` only; all else is the maintainer's.
"""


def render_instructions(title: str) -> str:
    """Render the README.md of a leaderboard, with metadata for the Hub."""
    return _TEXT.format(title=title)
