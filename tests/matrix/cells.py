"""Which versions the package is tried with, and the reports and tabs that each combination has to give.

A cell is a fresh environment with the wheel and ``requirements``. ``profile``: the profile plugin is among
them, under whichever of its two names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Cell:
    """One combination. ``below``: the first Python that has no wheels for it, if there is one."""

    name: str
    requirements: tuple[str, ...]
    profile: bool = False
    tensorflow: bool = False
    remote: bool = False
    below: tuple[int, int] = (99, 0)


OLDEST: Final = (
    "etils[epath]==1.9.*",
    "msgspec==0.19.*",
    "numpy==1.24.*",
    "nvidia-ml-py==12.535.*",
    "psutil==5.9.*",
    "tensorboard==2.16.*",
    "werkzeug==3.0.6.*",
    # TensorBoard of that age needs pkg_resources, which newer setuptools lack.
    "setuptools<81",
)

CELLS: Final = (
    Cell("oldest", (*OLDEST, "protobuf==3.20.*"), below=(3, 12)),
    Cell(
        "oldest-tensorflow",
        (*OLDEST, "tensorflow-cpu==2.16.*", "tensorboard-plugin-profile==2.17.*"),
        profile=True,
        tensorflow=True,
        below=(3, 12),
    ),
    # xprof needs this protobuf and does not say so: without it TensorBoard starts, but leaves it out.
    Cell("oldest-xprof", (*OLDEST, "protobuf==6.31.*", "xprof==2.20.*"), profile=True, below=(3, 12)),
    Cell("newest", ("tensorboard", "numpy", "etils[epath]", "msgspec", "werkzeug", "protobuf")),
    Cell("newest-xprof", ("tensorboard", "xprof", "numpy"), profile=True),
    Cell(
        "newest-tensorflow",
        ("tensorboard", "xprof", "tensorflow-cpu"),
        profile=True,
        tensorflow=True,
    ),
    Cell("remote", ("gcsfs", "s3fs"), remote=True),
)
BY_NAME: Final = {cell.name: cell for cell in CELLS}
IN_THE_SUITE: Final = "oldest"
