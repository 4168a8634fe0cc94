"""Connection to Spark, and distribution of work to its executors."""

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
"""Maximum number of tasks of a stage. A shuffle has one block per pair of tasks of two stages."""

_APPLICATION = "pyramid-paraphrase extract"
_ITEMS_PER_CORE = 4

_Item = TypeVar("_Item")
_Outcome = TypeVar("_Outcome")


@contextmanager
def spark_context(master: str, folder: Path) -> Iterator[Any]:
    """Connect to Spark, and disconnect at the end.

    Args:
        master: URL of the master, in the format of `spark-submit`.
        folder: Folder for the files of Spark, used if the master is local.

    Raises:
        MissingExtraError: If pyspark is not installed.
        OptionError: If Java is missing, Spark does not start, or a stage fails.
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
        remedy = "See the messages of Spark above and the logs of its workers"
        raise OptionError(f"Spark failed on the master {master}: {_describe(error).rstrip('.')}. {remedy}") from None


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    command = f"{home}/bin/java" if home else "java"
    if shutil.which(command) is None:
        reason = f"Spark requires Java, but the command {command} does not exist"
        raise OptionError(f"{reason}. Install Java 17 (package openjdk-17-jre-headless on Debian)")


def _describe(error: Exception) -> str:
    """Describe an error of Spark by the message of its Java exception, if it has one."""
    exception = getattr(error, "java_exception", None)
    return describe_cause(error if exception is None else Exception(exception.getMessage()))


class SparkWorkers:
    """The executors of Spark, with the interface of `support.workers.Workers`.

    Args:
        context: Connection to Spark.
    """

    def __init__(self, context: Any) -> None:  # noqa: ANN401 - pyspark is optional
        self._context = context

    def map_in_order(
        self, function: Callable[[_Item], _Outcome], items: Iterable[_Item]
    ) -> Generator[_Outcome, None, None]:
        """Apply a function to items, in batches of a few items per core.

        Yields:
            The results in the order of the items.

        Raises:
            PyramidParaphraseError: If the function raises it for an item. The first item in order counts.
        """
        remaining = iter(items)
        while batch := list(islice(remaining, _ITEMS_PER_CORE * self._context.defaultParallelism)):
            for outcome in self._context.parallelize(batch, len(batch)).map(partial(_attempt, function)).collect():
                if isinstance(outcome, PyramidParaphraseError):
                    raise outcome
                yield outcome


def _attempt(function: Callable[[_Item], _Outcome], item: _Item) -> _Outcome | PyramidParaphraseError:
    """Apply a function, and return an error of the input as a result, because Spark repeats tasks that fail."""
    try:
        return function(item)
    except PyramidParaphraseError as error:
        return error
