"""Python imports this when it starts, because ``tfperf`` puts this folder first on PYTHONPATH.

It runs the ``sitecustomize`` that this one hides. If ``tfperf`` asks for a recording, it hands each of
``MODULES`` to ``watch`` as soon as the training has imported it. It imports nothing but what Python has
loaded anyway, since every Python comes by that the training starts.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing is not loaded
    from typing import Any

MODULES = {
    "jax": "JAX",
    "keras": "Keras",
    "keras.engine.training": "Keras",
    "keras.src.backend.jax.trainer": "Keras",
    "keras.src.backend.tensorflow.trainer": "Keras",
    "keras.src.engine.training": "Keras",
    "tensorflow": "TensorFlow",
    "tf_keras": "Keras",
    "tf_keras.src.engine.training": "Keras",
    "torch": "PyTorch",
    "torch.optim.optimizer": "PyTorch",
    "torch.utils.data.dataloader": "PyTorch",
}
"""Module → what it belongs to. Keras 3 has a trainer for each backend, Keras 2 one for all."""
FOLDER = os.path.dirname(__file__)  # noqa: PTH120 - pathlib would have to be loaded
NOTES = os.environ.get("TFPERF_NOTES", "")


def note(kind: str, text: object = "") -> None:
    """Appends a line about this process to the file that ``tfperf`` reads; never raises."""
    line = f"{os.getpid()}\t{kind}\t{' '.join(str(text).split())}\n"
    try:
        file = os.open(NOTES, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(file, line.encode(errors="replace"))
        finally:
            os.close(file)
    except OSError:  # tfperf has ended
        pass


class Finder:
    """Finds modules as the finders after it do; those of ``MODULES`` are handed on once they are loaded."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """As ``importlib.abc.MetaPathFinder`` says."""
        if name not in MODULES:
            return None
        others = (f for f in sys.meta_path if f is not self and hasattr(f, "find_spec"))
        found = (finder.find_spec(name, path, target) for finder in others)
        spec: Any = next(filter(None, found), None)
        load = getattr(spec and spec.loader, "exec_module", None)
        if load is None:
            return spec

        def exec_module(module: object) -> None:
            try:
                load(module)
            except BaseException as error:  # its traceback is the one that it has without tfperf
                trace = error.__traceback__
                BaseException.with_traceback(error, trace and trace.tb_next)
                raise
            imported(name, module)

        try:
            spec.loader.exec_module = exec_module
        except AttributeError:  # a loader of another kind
            note("failed", f"{name} cannot be watched")
        return spec


def imported(name: str, module: object) -> None:
    """Hands a module on; the training goes on whatever happens."""
    note("imported", MODULES[name])
    try:
        from tfperf_plugin.recording.hook import watch

        watch.imported(name, module, note)
    except ImportError as error:
        note("failed", f"tfperf is not installed beside {sys.executable}, which trains ({error})")
    except Exception as error:
        note("failed", f"{type(error).__name__}: {error}")


def run_hidden() -> None:
    """Runs the ``sitecustomize`` that would have run without this one, if there is one."""
    sys.path[:] = [entry for entry in sys.path if entry != FOLDER]
    this = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # type: ignore[import-not-found]  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", this)


if __name__ == "sitecustomize":
    if NOTES and "TFPERF_REQUEST" in os.environ:
        note("python")
        sys.meta_path.insert(0, Finder())
    run_hidden()
