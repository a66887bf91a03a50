"""What happens to a file of a profile after it was written: functions on its bytes."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable

FileDamage = Callable[[bytes], bytes]
_KEPT_RATIO = 0.7


def cut(data: bytes) -> bytes:
    """The end of the file is missing."""
    return data[: int(_KEPT_RATIO * len(data))]


def emptied(data: bytes) -> bytes:
    """The file was opened, but nothing was written."""
    return b""


def closed_again(data: bytes) -> bytes:
    """The end of a trace of PyTorch is missing, and its brackets are closed behind the last event."""
    text = cut(gzip.decompress(data)).decode()
    return gzip.compress((text[: text.rindex(",\n")] + "\n]}\n").encode(), 6, mtime=0)


def with_byte_order_mark(data: bytes) -> bytes:
    """An editor has saved a trace of PyTorch."""
    return b"\xef\xbb\xbf" + gzip.decompress(data)


def in_utf_16(data: bytes) -> bytes:
    """PowerShell has saved a trace of PyTorch."""
    return gzip.decompress(data).decode().encode("utf-16")


def without_devices(data: bytes) -> bytes:
    """Copies in a trace of PyTorch do not say on which GPU they are, as in older versions."""
    lines = gzip.decompress(data).decode().split("\n")
    found = (re.sub(r'"device": \d+, ', "", line) if '"gpu_memcpy"' in line else line for line in lines)
    return gzip.compress("\n".join(found).encode(), 6, mtime=0)


def without_annotations(data: bytes) -> bytes:
    """A trace of PyTorch without loader, optimizer and schedule, as of a loop written by hand."""
    lines = gzip.decompress(data).decode().split("\n")
    return gzip.compress(
        "\n".join(line for line in lines if '"user_annotation"' not in line).encode(), 6, mtime=0
    )


def on_accelerator(kind: str) -> FileDamage:
    """A trace of PyTorch on another accelerator: its calls and its work have categories of their own."""

    def damage(data: bytes) -> bytes:
        text = gzip.decompress(data).decode()
        text = re.sub(r'"deviceProperties": \[[^\]]*\]', '"deviceProperties": []', text)
        text = re.sub(r'"cat": "(kernel|gpu_memcpy)"', f'"cat": "{kind}_ccp_events"', text)
        text = text.replace('"cat": "cuda_runtime"', f'"cat": "{kind}_runtime"')
        return gzip.compress(re.sub(r'"name": "cuda', f'"name": "{kind}', text).encode(), 6, mtime=0)

    return damage


def on_xpu(data: bytes) -> bytes:
    """A trace of PyTorch on a GPU of Intel, whose work has the categories of other GPUs."""
    text = gzip.decompress(data).decode().replace('"cat": "cuda_runtime"', '"cat": "xpu_runtime"')
    text = re.sub(r'"deviceProperties": \[[^\]]*\], ', "", text)
    text = re.sub(r'"name": "cudaLaunchKernel\w*"', '"name": "urEnqueueKernelLaunch"', text)
    return gzip.compress(re.sub(r'"name": "cuda', '"name": "urEnqueue', text).encode(), 6, mtime=0)


def on_tpu(data: bytes) -> bytes:
    """The planes of GPUs in an XSpace are those of TPUs."""
    return data.replace(b"/device:GPU:", b"/device:TPU:")
