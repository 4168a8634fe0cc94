"""The README of a leaderboard, with instructions for submitters and maintainers."""

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

Models on the tests of pyramid-paraphrase. This folder contains no text, only ids, right responses, topics and scores.
`leaderboard.json` lists the data that models are ranked on.

## Submit a model

Take a copy of this folder, evaluate the model on the data of `leaderboard.json`, and enter the result:

```bash
pyramid-paraphrase evaluate --model MODEL --data SOURCE --task binary,ranking,binary_matched,ranking_matched
pyramid-paraphrase submit RESULT --to FOLDER --contact YOU --model-link URL --training-data TEXT --saw-test-data no
```

Then offer the new folder under `submissions/` as a change, such as a pull request. Do not change anything else.

## Maintain it

Check a proposed change before it is merged, by hand or in continuous integration (with the whole history, such as
`fetch-depth: 0` in GitHub Actions):

```bash
pyramid-paraphrase leaderboard check FOLDER --changed-since origin/main
```

The command fails if the change touches anything other than submissions in this folder, or if a submission is refused.
Install the command from a source that the change cannot alter. Read the notices and decide yourself about near copies,
names that look alike, implausible scores, models that lead before they are reproduced, and changes to accepted
submissions.

After a merge, check the whole leaderboard, commit `accepted.json`, and render the site:

```bash
pyramid-paraphrase leaderboard check FOLDER
pyramid-paraphrase leaderboard reproduce FOLDER/submissions/NAME --data SOURCE
pyramid-paraphrase leaderboard render FOLDER --output site
```

`check` recomputes every number of every submission from its scores and the keys in `keys/`. It cannot verify that the
model produced the scores. `reproduce` runs the model again and records the result under `reproductions/`. The site
ranks reproduced models. It lists the others without a rank until a visitor includes them.

No two submissions may have the same name, model or scores. The shortcuts precede the submissions that `accepted.json`
lists and that have not changed since, and these precede reproduced submissions. If submissions in conflict have the
same precedence, all of them are refused: remove all but the genuine one, or reproduce it. The date in a submission does
not count.
"""


def render_instructions(title: str) -> str:
    """Render the README.md of a leaderboard, with metadata for the Hub."""
    return _TEXT.format(title=title)
