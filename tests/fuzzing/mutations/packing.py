"""Changes of archives and compressed files: members, headers, records of PAX and GNU, truncation, nesting."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import partial

from fuzzing.cases import MAX_BYTES
from fuzzing.chance import Chance
from fuzzing.mutations.blobs import Mutator, mutate_bytes

_BLOCK = 512
_END = bytes(2 * _BLOCK)
_NAMES = (
    *(
        "",
        ".",
        "..",
        "/",
        "../x.pyr",
        "/x.pyr",
        "a/b.pyr/",
        "x.pyr\n",
        "\x1b[2Jx.pyr",
        "\u202ex.pyr",
        "._x.pyr",
        "!.pyr",
    ),
    *(
        "x.tar",
        "x.zip",
        "x.tar.gz",
        "x.pan",
        "x.PYR",
        "x_modified_scores.txt",
        "a" * 300 + ".pyr",
        "a/" * 2000 + "x.pyr",
    ),
)
_FIELDS = {
    "name": (0, 100),
    "mode": (100, 8),
    "size": (124, 12),
    "mtime": (136, 12),
    "checksum": (148, 8),
    "type": (156, 1),
    "link": (157, 100),
    "magic": (257, 8),
    "major": (329, 8),
    "prefix": (345, 155),
}
"""Place and length of the fields of a header of a tar archive."""

_PAX_RECORDS = (
    *(
        ("path", "x.pyr"),
        ("path", "a" * 3000),
        ("path", "x\n.pyr"),
        ("size", "1e999"),
        ("size", "-1"),
        ("size", "9" * 30),
    ),
    *(
        ("GNU.sparse.map", "1e999"),
        ("GNU.sparse.map", "0,1,2"),
        ("GNU.sparse.size", "9" * 25),
        ("hdrcharset", "BINARY"),
    ),
    *(
        ("GNU.sparse.major", "1"),
        ("GNU.sparse.realsize", "999999999"),
        ("GNU.sparse.name", "\x1b[2J"),
        ("mtime", "nan"),
    ),
    *(("linkpath", "\0"), ("uid", "\u0663"), ("atime", "1e400"), ("comment", "c" * 100_000)),
)
Members = dict[str, bytes]


def pack_tar(members: Mapping[str, bytes]) -> bytes:
    """Make a tar archive, the same bytes each time."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def pack_zip(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Make a zip archive, the same bytes each time."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name that comes twice
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = method
            archive.writestr(entry, data)
    return stream.getvalue()


def compress(data: bytes) -> bytes:
    """Compress by gzip, the same bytes each time."""
    return gzip.compress(data, mtime=0)


def mutate_archive(inner: Mutator) -> Mutator:
    """Return a mutator of archives, plain or compressed. It recognizes the format by the first bytes.

    Args:
        inner: Changes a member.
    """
    return partial(_mutate_archive, inner)


def _mutate_archive(inner: Mutator, data: bytes, chance: Chance) -> bytes:
    if data.startswith(b"\x1f\x8b"):
        return mutate_compressed(partial(_mutate_archive, inner))(data, chance)
    if data.startswith(b"PK"):
        return chance.choice(_ZIP_CHANGES)(data, chance) if chance.happens(0.6) else _repack(inner, data, chance)
    return chance.choice(_TAR_CHANGES)(data, chance) if chance.happens(0.6) else _repack(inner, data, chance)


def mutate_compressed(inner: Mutator) -> Mutator:
    """Return a mutator of files that may be compressed by gzip.

    Args:
        inner: Changes the content.
    """
    return partial(_mutate_compressed, inner)


def _mutate_compressed(inner: Mutator, data: bytes, chance: Chance) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return inner(data, chance)
    try:
        content = zlib.decompressobj(wbits=31).decompress(data, 1 << 22)
    except zlib.error:
        return mutate_bytes(data, chance)
    if chance.happens(0.75):
        return compress(inner(content, chance))
    return chance.choice(_COMPRESSIONS)(content, chance)


def _name_in_header(content: bytes, chance: Chance) -> bytes:
    """Use the optional fields of a header of gzip: a name without an end, a comment, a checksum."""
    flags = chance.choice((2, 4, 8, 16, 31, 0xE0))
    return (
        b"\x1f\x8b\x08" + bytes([flags]) + bytes(6) + chance.text().encode("utf-8", "replace") + compress(content)[10:]
    )


_COMPRESSIONS: tuple[Mutator, ...] = (
    _name_in_header,
    lambda content, _: compress(content)[:-8] + bytes(8),
    lambda content, _: compress(content) + compress(content),
    lambda content, _: compress(content) + b"rubbish",
    lambda content, _: compress(content) + bytes(5000),
    lambda content, chance: compress(content)[: chance.randint(0, 40)],
    lambda content, _: compress(content + bytes(1 << 24)),
    lambda content, _: compress(compress(content)),
    lambda content, _: bz2.compress(content),
    lambda content, _: lzma.compress(content),
    lambda content, _: pack_zip({"content": content}),
)


def unpack(data: bytes) -> Members:
    """Read the members of an archive that are not too large. Changed headers can contain any size."""
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {entry.filename: archive.open(entry).read(MAX_BYTES) for entry in archive.infolist()}
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        files = [entry for entry in tar if entry.isfile() and not entry.issparse() and entry.size <= MAX_BYTES]
        streams = [(entry.name, tar.extractfile(entry)) for entry in files]
        return {name: stream.read() for name, stream in streams if stream is not None}


def _repack(inner: Mutator, data: bytes, chance: Chance) -> bytes:
    """Change a member, or the set of members."""
    try:
        members = unpack(data)
    except Exception:  # an archive with earlier damage can raise any exception
        return mutate_bytes(data, chance)
    name = chance.pick(sorted(members))
    if name is None:
        return data
    content = members[name]
    kind = chance.randrange(6)
    if kind < 2:
        members[name] = inner(content, chance)
    elif kind == 2:
        del members[name]
    elif kind == 3:
        members[chance.choice(_NAMES) if chance.happens(0.7) else chance.text()] = content
    elif kind == 4:
        members["inner" + chance.choice((".tar", ".zip", ".tgz"))] = chance.choice(_PACKERS)(dict(members))
    else:
        members |= {f"{name}{number}": content[:100] for number in range(min(chance.count(), 2000))}
    packers = (_pack_zip_safely,) if data.startswith(b"PK") else (_pack_tar_safely,)
    return chance.choice(_PACKERS if chance.happens(0.1) else packers)(members)


def _pack_tar_safely(members: Members) -> bytes:
    return pack_tar({name.encode("utf-8", "replace").decode(): data for name, data in members.items()})


def _pack_zip_safely(members: Members) -> bytes:
    return pack_zip({name.encode("utf-8", "replace").decode()[:60_000]: data for name, data in members.items()})


_PACKERS: tuple[Callable[[Members], bytes], ...] = (
    _pack_tar_safely,
    _pack_zip_safely,
    lambda members: compress(_pack_tar_safely(members)),
)


def _list_headers(data: bytes) -> list[int]:
    """List the positions of the headers of a tar archive, by following their sizes."""
    places, at = [], 0
    while at + _BLOCK <= len(data) and data[at : at + _BLOCK].strip(b"\0"):
        places.append(at)
        size = data[at + 124 : at + 135].strip(b" \0")
        at += _BLOCK
        if size and all(byte in b"01234567" for byte in size):
            at += -(-int(size, 8) // _BLOCK) * _BLOCK
    return places


def make_header(name: bytes, kind: bytes, size: int | bytes, link: bytes = b"") -> bytes:
    """Make a header of a tar archive with a correct checksum."""
    size_field = size if isinstance(size, bytes) else b"%011o" % size
    header = bytearray(_BLOCK)
    for start, value in ((0, name[:100]), (100, b"0000644"), (124, size_field[:12]), (156, kind), (157, link[:100])):
        header[start : start + len(value)] = value
    header[257:265] = b"ustar\x0000"
    return _with_checksum(bytes(header))


def _with_checksum(header: bytes) -> bytes:
    total = sum(header[:148]) + 8 * ord(" ") + sum(header[156:])
    return header[:148] + b"%06o\0 " % total + header[156:]


def _change_field(data: bytes, chance: Chance) -> bytes:
    """Change a field of a header, with or without a correct checksum."""
    at = chance.pick(_list_headers(data))
    if at is None:
        return data
    start, size = _FIELDS[chance.choice(sorted(_FIELDS))]
    value = chance.choice(
        (b"\xff" * size, b"\x80" + b"\xff" * (size - 1), b" " * size, b"0" * size, b"7" * size, b"-1", b"\0" * size,
         bytes([chance.choice(b"01234567LKSxgXDVM")]), chance.text().encode("utf-8", "replace"))
    )[:size]  # fmt: skip
    header = bytearray(data[at : at + _BLOCK])
    header[start : start + len(value)] = value
    changed = _with_checksum(bytes(header)) if chance.happens(0.8) else bytes(header)
    return data[:at] + changed + data[at + _BLOCK :]


def _insert_entry(data: bytes, chance: Chance) -> bytes:
    """Put an entry of another kind before an entry: a link, a device, a long name, records of PAX."""
    at = chance.pick([*_list_headers(data), len(data)]) or 0
    return data[:at] + chance.choice(_ENTRIES)(chance) + data[at:]


def _pad(content: bytes) -> bytes:
    return content + bytes(-len(content) % _BLOCK)


def _make_pax(chance: Chance) -> bytes:
    records = [chance.choice(_PAX_RECORDS) for _ in range(chance.randint(1, 3))]
    content = b"".join(map(_make_record, records))
    if chance.happens(0.3):
        content = mutate_bytes(content, chance)
    kind = chance.choice((b"x", b"x", b"g", b"X"))
    size = len(content) if chance.happens(0.85) else chance.choice((0, 8 << 30, 600 << 20))
    return make_header(b"PaxHeader", kind, size) + _pad(content)


def _make_record(record: tuple[str, str]) -> bytes:
    """Make a record of PAX: its own length in decimal, key and value."""
    body = f" {record[0]}={record[1]}\n".encode("utf-8", "surrogatepass")
    length = len(body) + 1
    while len(str(length)) + len(body) != length:
        length = len(str(length)) + len(body)
    return str(length).encode() + body


def _make_long_name(chance: Chance) -> bytes:
    name = chance.choice(_NAMES).encode() * chance.choice((1, 1, 100)) + b"\0"
    size = len(name) if chance.happens(0.8) else chance.choice((0, 600 << 20, 1 << 40))
    declared = b"\x80" + size.to_bytes(11, "big") if size >= 1 << 33 else size
    return make_header(b"././@LongLink", chance.choice((b"L", b"K")), declared) + _pad(name)


def _make_special(chance: Chance) -> bytes:
    """Make a link, a device, a folder, a pipe or an entry of unknown kind."""
    kind = bytes([chance.choice(b"123456789AZ")])
    return make_header(chance.choice(_NAMES).encode(), kind, 0, chance.choice(_NAMES).encode())


def _make_sparse(chance: Chance) -> bytes:
    """Make a sparse file in GNU's old format, whose map describes more data than there is."""
    header = bytearray(make_header(b"x.pyr", b"S", 0))
    for at in range(386, 482, 12):
        header[at : at + 12] = b"%011o\0" % chance.choice((0, 1, 512, (1 << 33) - 1))
    header[482:483] = chance.choice((b"\0", b"1"))
    header[483:495] = b"%011o\0" % ((1 << 33) - 1)
    return _with_checksum(bytes(header))


_ENTRIES: tuple[Callable[[Chance], bytes], ...] = (_make_pax, _make_pax, _make_long_name, _make_special, _make_sparse)


def _join_archives(data: bytes, chance: Chance) -> bytes:
    return chance.choice((data + data, data[:-1024] + data, data[:-1024], data + b"x", data.rstrip(b"\0")))


_TAR_CHANGES: tuple[Mutator, ...] = (_change_field, _change_field, _insert_entry, _insert_entry, _join_archives)


def _change_directory(data: bytes, chance: Chance) -> bytes:
    """Change a field of an entry of the central directory, of a local header or of the end record."""
    signature, size = chance.choice(((b"PK\x01\x02", 46), (b"PK\x03\x04", 30), (b"PK\x05\x06", 22)))
    places = [at for at in range(len(data)) if data.startswith(signature, at)]
    at = chance.pick(places)
    if at is None:
        return data
    field = at + 4 + 2 * chance.randrange((size - 4) // 2)
    width = chance.choice((2, 4))
    value = chance.choice((0, 1, 8, 9, 12, 14, 0xFF, 0xFFFF, 0xFFFF_FFFF, 0x8000, chance.randrange(1 << 16)))
    return data[:field] + (value % (1 << 8 * width)).to_bytes(width, "little") + data[field + width :]


def _change_method(data: bytes, chance: Chance) -> bytes:
    """Declare another compression method for all members than the actual method."""
    method = chance.choice((0, 1, 6, 8, 9, 12, 14, 93, 95, 99))
    for signature, offset in ((b"PK\x01\x02", 10), (b"PK\x03\x04", 8)):
        at = data.find(signature)
        while at >= 0:
            data = data[: at + offset] + struct.pack("<H", method) + data[at + offset + 2 :]
            at = data.find(signature, at + 4)
    return data


def _compress_otherwise(data: bytes, chance: Chance) -> bytes:
    """Compress the members by another method, and damage a byte."""
    try:
        members = unpack(data)
    except Exception:  # an archive with earlier damage can raise any exception
        return mutate_bytes(data, chance)
    method = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    packed = pack_zip({name: content for name, content in members.items() if name}, method)
    at = chance.randrange(len(packed))
    return packed[:at] + bytes([chance.randrange(256)]) + packed[at + 1 :]


def _change_ends(data: bytes, chance: Chance) -> bytes:
    end = data.rfind(b"PK\x05\x06")
    comment = chance.text().encode("utf-8", "replace")
    return chance.choice((data[:end], b"rubbish" * 10 + data, data + comment, data + data[end:], data[end:]))


_ZIP_CHANGES: tuple[Mutator, ...] = (
    _change_directory,
    _change_directory,
    _change_method,
    _compress_otherwise,
    _change_ends,
)
