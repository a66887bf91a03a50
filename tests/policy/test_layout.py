"""Where things are: the layout that the documentation promises."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import REPOSITORY, TOGETHER

FOLDERS = {"tfperf_plugin", "frontend", "tests", "demo"}
MADE_HERE = {"build", "dist", "__pycache__", "node_modules"}
SOURCES = sorted(
    path
    for folder in (*FOLDERS, ".ci")
    for path in (REPOSITORY / folder).rglob("*")
    if path.suffix in {".py", ".ts", ".md", ""}
    and path.is_file()
    and not MADE_HERE & set(path.relative_to(REPOSITORY).parts)
)


def test_the_root_holds_only_the_named_folders() -> None:
    folders = {
        path.name
        for path in REPOSITORY.iterdir()
        if path.is_dir() and not path.name.startswith(".") and not path.name.endswith(".egg-info")
    }

    assert folders - MADE_HERE == FOLDERS


def test_the_readme_names_only_what_exists() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    links = re.findall(r"\]\((?!https?:)([^)#]+)", readme)

    assert links
    assert [link for link in links if not (REPOSITORY / link).exists()] == []
    assert [name for name in re.findall(r"`make ([a-z-]+)", readme) if name not in targets] == []


def test_nothing_is_left_undone_or_tied_to_a_machine() -> None:
    wrong = re.compile(r"\b(?:TODO|FIXME|XXX)\b|(?<![\w.])/(?:root|home/\w+|Users/\w+)/")
    found = [
        f"{path.relative_to(REPOSITORY)}:{number}: {line.strip()}"
        for path in SOURCES
        if path != Path(__file__)  # names what it looks for
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if wrong.search(line)
    ]

    assert len(SOURCES) > 500
    assert found == []


def test_browser_tests_share_what_takes_long_to_start() -> None:
    """One worker shows the dev page, one TensorBoard: else both would be started twice. Who needs both goes
    with TensorBoard."""
    with_server: set[str] = set()
    for group, fixture in (("TensorBoard", "server"), ("the dev page", "fakes")):
        using = {
            f"e2e/{path.name}"
            for path in (REPOSITORY / "tests" / "e2e").glob("test_*.py")
            if re.search(rf"\(.*\b{fixture}: str\b", path.read_text(encoding="utf-8"))
            or re.search(rf"^    {fixture}: str\b", path.read_text(encoding="utf-8"), re.MULTILINE)
        }
        assert using - with_server == set(TOGETHER[group])
        with_server = using
    for name in (name for names in TOGETHER.values() for name in names):
        assert (REPOSITORY / "tests" / name).is_file(), name
