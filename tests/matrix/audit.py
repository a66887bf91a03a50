"""Known weaknesses in what the package needs at run time, as pip installs it today.

``python -m tests.matrix.audit``: pip-audit asks a public database, from an environment of its own. Exits as
pip-audit does: 1 if there is one, or if the database could not be asked about a package.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from tests.wheels import build_wheel, make_environment, pip


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="tfperf-audit-") as name:
        folder = Path(name)
        tool, runtime = make_environment(folder / "tool"), make_environment(folder / "runtime")
        pip("--python", str(tool / "python"), "install", "pip-audit")
        pip("--python", str(runtime / "python"), "install", str(build_wheel(folder / "wheel")))
        # The database knows nothing of ourselves; of whatever else it knows nothing, that is a failure.
        pip("--python", str(runtime / "python"), "uninstall", "--yes", "tfperf-plugin")
        (packages,) = (folder / "runtime").glob("**/site-packages")
        return subprocess.run([tool / "pip-audit", "--strict", "--path", packages], check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
