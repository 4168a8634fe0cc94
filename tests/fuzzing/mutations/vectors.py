"""Changes of files with binary numbers: the formats of word2vec, safetensors and NumPy."""

from __future__ import annotations

import json
import struct

from fuzzing.chance import Chance
from fuzzing.mutations.blobs import mutate_bytes
from fuzzing.mutations.values import mutate_json

_VALUES = (float("nan"), float("inf"), -0.0, 3.4e38, 1e-45, 0.0)


def mutate_header_of_words(data: bytes, chance: Chance) -> bytes:
    """Change the first line, which contains the numbers of words and of values per word."""
    header, _, values = data.partition(b"\n")
    fields = header.split(b" ")
    fields[chance.randrange(len(fields))] = chance.number().encode()
    return b" ".join(fields) + chance.choice((b"\n", b"\n", b"\r\n", b"")) + values


def mutate_binary_words(data: bytes, chance: Chance) -> bytes:
    """Change a value of a binary file of word vectors, a word, or the header."""
    if chance.happens(0.3):
        return mutate_header_of_words(data, chance)
    if chance.happens(0.5):
        at = chance.randrange(max(1, len(data) - 4))
        return data[:at] + struct.pack("<f", chance.choice(_VALUES)) + data[at + 4 :]
    return mutate_bytes(data, chance)


def mutate_safetensors(data: bytes, chance: Chance) -> bytes:
    """Change the header of a file of tensors, its length, or the values."""
    size = int.from_bytes(data[:8], "little")
    header, values = data[8 : 8 + size], data[8 + size :]
    kind = chance.randrange(4)
    if kind == 0:
        changed = chance.choice((0, 1, size + 1, size - 1, len(data), 100_000_000, (1 << 63) - 1, (1 << 64) - 1))
        return (changed % (1 << 64)).to_bytes(8, "little") + header + values
    if kind == 1:
        return data[:8] + header + mutate_bytes(values, chance)
    header = mutate_json(header, chance) if kind == 2 else _change_shapes(header, chance)
    return len(header).to_bytes(8, "little") + header + values


def _change_shapes(header: bytes, chance: Chance) -> bytes:
    """Change the shape, the type or the position of a tensor."""
    try:
        tensors = json.loads(header)
        name = chance.choice(sorted(key for key in tensors if key != "__metadata__"))
        tensor = tensors[name]
        shape, (start, end) = list(tensor["shape"]), tensor["data_offsets"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return mutate_bytes(header, chance)
    kind = chance.randrange(5)
    if kind == 0:
        tensor["shape"] = chance.choice(([], [0], [1 << 62, 4], [-1], [*shape, 1], shape[::-1]))
    elif kind == 1:
        tensor["dtype"] = chance.choice(("F64", "F16", "BF16", "I64", "BOOL", "F8_E4M3", "X", ""))
    elif kind == 2:
        tensor["data_offsets"] = chance.choice(([0, end], [end, start], [start, end + 4], [0, 0], [start, 1 << 60]))
    elif kind == 3:
        tensors[chance.text()] = tensors.pop(name)
    else:
        del tensors[name]
    return json.dumps(tensors).encode("utf-8", "surrogatepass")
