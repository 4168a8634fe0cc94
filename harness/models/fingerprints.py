"""What tells one model from another: contents of files, parameters, options."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.files.hashing import hash_file, hash_values
from harness.support.errors import ModelError
from pyramid_paraphrase.inputs import refuse_irregular


def hash_folder(folder: Path) -> str:
    """SHA-256 over names and contents of the files of a model, wherever the folder lies.

    Hidden files and Markdown are left out: a model card may change, the model does not.

    Raises:
        ModelError: If a file cannot be read.
    """
    try:
        return hash_values([(path.relative_to(folder).as_posix(), hash_file(path)) for path in _list_files(folder)])
    except OSError as error:
        raise ModelError(f"{error.filename}: cannot be read ({error.strerror}); check its permissions") from None


def require_regular_files(folder: Path) -> None:
    """Check that a folder of a model holds no pipe: libraries would wait for it.

    Raises:
        InputError: If it holds a pipe, a socket or a device.
    """
    for path in _list_files(folder):
        if path.exists() and not path.is_file():
            raise refuse_irregular(path)


def _list_files(folder: Path) -> list[Path]:
    """All files that count, behind links, too; a folder that is met again is not entered again."""
    found, met = [], set()
    for parent, folders, names in os.walk(folder, followlinks=True):
        real = Path(parent).resolve()
        folders[:] = [name for name in folders if not name.startswith(".") and real not in met]
        met.add(real)
        found += [Path(parent, name) for name in names if not name.startswith(".") and not name.endswith(".md")]
    return sorted(found)


def hash_module(module: Any, settings: Mapping[str, Any]) -> str:  # noqa: ANN401
    """SHA-256 over the structure, the parameters and the settings of a `torch` module in memory."""
    digest = hashlib.sha256(f"{module}\n{hash_values(dict(settings))}\n".encode())
    for name, tensor in sorted(module.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        flat = tensor.detach().cpu().contiguous().flatten()
        digest.update(flat.view(dtype=_byte_type()).numpy().tobytes())
    return digest.hexdigest()


def _byte_type() -> Any:  # noqa: ANN401
    import torch

    return torch.uint8
