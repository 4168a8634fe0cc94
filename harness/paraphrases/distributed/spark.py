"""Connections to Spark, and work divided among its executors."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from harness.support.errors import describe_cause
from harness.support.extras import require
from pyramid_paraphrase.errors import OptionError, PyramidParaphraseError

EXTRA = "spark"
MOST_TASKS = 1 << 11
"""Largest number of tasks of a stage. A shuffle has a block for each pair of tasks of two stages."""

_APPLICATION = "pyramid-paraphrase extract"
_ITEMS_PER_CORE = 4

_Item = TypeVar("_Item")
_Outcome = TypeVar("_Outcome")


@contextmanager
def spark_context(master: str, folder: Path) -> Iterator[Any]:
    """Connect to Spark, and disconnect at the end.

    Args:
        master: URL of the master, as `spark-submit` takes it.
        folder: Folder for the files of Spark, if the master is this machine.

    Raises:
        MissingExtraError: If pyspark is not installed.
        OptionError: If Java is missing, Spark does not start, or Spark gives up a stage.
    """
    pyspark = require("pyspark", EXTRA)
    py4j = require("py4j.protocol", EXTRA)
    _check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    configuration = pyspark.SparkConf().setMaster(master).setAppName(_APPLICATION)
    configuration.set("spark.ui.showConsoleProgress", "false")
    if master.startswith("local"):
        configuration.setIfMissing("spark.driver.host", "127.0.0.1")
        configuration.setIfMissing("spark.local.dir", str(folder))
    try:
        context = pyspark.SparkContext(conf=configuration)
        try:
            yield context
        finally:
            context.stop()
    except (py4j.Py4JError, pyspark.errors.PySparkException) as error:
        remedy = "look at Spark's messages above and at the logs of its workers"
        raise OptionError(f"Spark with the master {master}: {_describe(error)}; {remedy}") from None


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    command = f"{home}/bin/java" if home else "java"
    if shutil.which(command) is None:
        raise OptionError(
            f"Spark needs Java, and there is no command {command}; install Java 17, on Debian openjdk-17-jre-headless"
        )


def _describe(error: Exception) -> str:
    """Describe an error of Spark by the message of its exception in Java, if there is any."""
    exception = getattr(error, "java_exception", None)
    return describe_cause(error if exception is None else Exception(exception.getMessage()))


class SparkWorkers:
    """The executors of Spark, used like `support.workers.Workers`.

    Args:
        context: Connection to Spark.
    """

    def __init__(self, context: Any) -> None:  # noqa: ANN401 - pyspark is optional
        self._context = context

    def map_in_order(
        self, function: Callable[[_Item], _Outcome], items: Iterable[_Item]
    ) -> Generator[_Outcome, None, None]:
        """Apply a function to items, of which a few per core are read at a time.

        Yields:
            The results in the order of the items.

        Raises:
            PyramidParaphraseError: The error of the first item whose function raises such an error.
        """
        remaining = iter(items)
        while batch := list(islice(remaining, _ITEMS_PER_CORE * self._context.defaultParallelism)):
            for outcome in self._context.parallelize(batch, len(batch)).map(partial(_attempt, function)).collect():
                if isinstance(outcome, PyramidParaphraseError):
                    raise outcome
                yield outcome


def _attempt(function: Callable[[_Item], _Outcome], item: _Item) -> _Outcome | PyramidParaphraseError:
    """Return an error of the input as a result, because Spark repeats a task that raises an error."""
    try:
        return function(item)
    except PyramidParaphraseError as error:
        return error
