"""Commands that use a Hub which drips in the place of one answer.

Run as a module: libraries read the Hub's address when they are imported.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from helpers.dripping_server import DRIPS
from helpers.hub_server import Hub, serve_hub

SECONDS = 0.1
STEP = 8
"""Of the dozens of requests of transformers, one in so many is tried."""

DATA = ("evaluate", "--task", "binary", "--no-cache", "--quiet", "--resamples", "10", "--output", "results")
LOCAL = (*DATA, "--data", "sample", "--model")
COMMANDS = {
    "encoder": (*LOCAL, "sentence-transformers:org/tiny"),
    "static": (*LOCAL, "model2vec:org/static"),
    "judge": (*LOCAL, "judge:org/judge"),
    "dataset": (*DATA, "--data", "org/pyramids", "--model", "random"),
    "metric": (*LOCAL, "random", "--metric", "accuracy,trust_remote_code=true"),
}
MANY_REQUESTS = ("encoder", "judge")


def make_repositories(folder: Path) -> dict[str, Path]:
    """Make the repositories that the commands need, by their names on the Hub."""
    from helpers.metric_modules import METRICS
    from helpers.tiny_models import save_judge, save_model2vec, save_tiny_model
    from pyramid_paraphrase import SAMPLE_DIR
    from pyramid_paraphrase.building.build import build_test
    from pyramid_paraphrase.publishing.export import write_folder
    from pyramid_paraphrase.reading import read_corpus

    corpus = read_corpus(SAMPLE_DIR)
    write_folder(corpus, [build_test(corpus, "binary")], folder / "pyramids")
    return {
        "org/tiny": save_tiny_model(folder / "tiny"),
        "org/static": save_model2vec(folder / "static"),
        "org/judge": save_judge(folder / "judge", {"yes": 1.0}, chat_template="{{ messages[0].content }}"),
        "datasets/org/pyramids": folder / "pyramids",
        "spaces/evaluate-metric/accuracy": METRICS / "accuracy",
    }


def run_command(hub: Hub, name: str, folder: Path) -> dict[str, Any]:
    """Run a command with empty caches, and describe how it ended."""
    from huggingface_hub import close_session

    from harness.cli import main
    from pyramid_paraphrase import hub_client

    shutil.rmtree(folder / "hf", ignore_errors=True)
    hub_client._silence.clear()
    hub.requests.clear()
    errors = io.StringIO()
    start = time.monotonic()
    with redirect_stdout(io.StringIO()), redirect_stderr(errors):
        status = main(COMMANDS[name])
    seconds = time.monotonic() - start
    close_session()
    return {"status": status, "seconds": seconds, "errors": errors.getvalue(), "requests": list(hub.requests)}


def main(names: list[str]) -> None:
    """Print a line of JSON for each request of each command, and first one for the command without a fault."""
    folder = Path.cwd()
    with serve_hub({}) as hub:
        os.environ.update(
            HF_HOME=str(folder / "hf"), HF_ENDPOINT=hub.url, HF_HUB_OFFLINE="0", HF_UPDATE_DOWNLOAD_COUNTS="0"
        )
        os.environ.pop("HF_EVALUATE_OFFLINE", None)
        hub.folders.update(make_repositories(folder / "repositories"))
        from harness.metrics import named_metrics
        from pyramid_paraphrase import hub_client

        for name in names:
            hub_client.SECONDS_TO_ANSWER = 30.0
            outcome = run_command(hub, name, folder)
            sys.stdout.write(json.dumps({"command": name, "request": None} | outcome) + "\n")
            hub_client.SECONDS_TO_ANSWER = named_metrics._SECONDS_TO_DOWNLOAD = SECONDS
            requests = list(dict.fromkeys(outcome["requests"]))
            for method, path in requests[:: STEP if name in MANY_REQUESTS else 1]:
                hub.drips = {(method, path): DRIPS["body" if method == "GET" else "headers"]}
                outcome = run_command(hub, name, folder)
                sys.stdout.write(json.dumps({"command": name, "request": [method, path]} | outcome) + "\n")
            hub.drips.clear()


if __name__ == "__main__":
    main(sys.argv[1:])
