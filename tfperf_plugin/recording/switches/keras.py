"""Switches of Keras: Keras 3 on TensorFlow and on JAX, Keras 2."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tfperf_plugin.recording.switches.switch import TIME_ONLY, Change, Switch, Tell, fill, gives, wrap

TRAINERS: Final = {
    "keras.engine.training": "Model",
    "keras.src.backend.jax.trainer": "JAXTrainer",
    "keras.src.backend.tensorflow.trainer": "TensorFlowTrainer",
    "keras.src.engine.training": "Model",
    "tf_keras.src.engine.training": "Model",
}
"""Module → its class with ``compile`` and ``fit``."""
# Callbacks that end the training or set its learning rate.
_STEERING: Final = frozenset(
    {"EarlyStopping", "LearningRateScheduler", "ReduceLROnPlateau", "TerminateOnNaN"}
)


def _of_trainers(change: Callable[[Any, str, Tell], None]) -> dict[str, Change]:
    """``change`` of the class that trains, in each version of Keras."""

    def changed(module: Any, value: str, tell: Tell) -> None:
        change(
            next(getattr(module, name) for name in TRAINERS.values() if hasattr(module, name)), value, tell
        )

    return dict.fromkeys(TRAINERS, changed)


def _steps_per_execution(trainer: Any, value: str, tell: Tell) -> None:
    told = partial(gives, tell, f"compile(steps_per_execution={value})")
    fill(trainer, "compile", "steps_per_execution", int(value), told)


def _jit_compile(trainer: Any, _: str, tell: Tell) -> None:
    def around(method: Any, model: Any, *args: Any, **named: Any) -> Any:
        method(model, *args, **named)
        if not model.jit_compile and not model.run_eagerly:
            method(model, *args, **{**named, "jit_compile": True})
            gives(tell, "compile(jit_compile=True)")

    wrap(trainer, "compile", around)


def _no_metrics(trainer: Any, _: str, tell: Tell) -> None:
    def around(method: Any, *args: Any, **named: Any) -> Any:
        left_out = [name for name in ("metrics", "weighted_metrics") if named.pop(name, None)]
        if left_out:
            tell(f"compile() without {' and '.join(left_out)}")
        return method(*args, **named)

    wrap(trainer, "compile", around)


def _no_callbacks(trainer: Any, _: str, tell: Tell) -> None:
    def around(method: Any, *args: Any, **named: Any) -> Any:
        callbacks = named.get("callbacks")
        if isinstance(callbacks, list | tuple):
            stays = [each for each in callbacks if _STEERING & {kind.__name__ for kind in type(each).__mro__}]
            left_out = sorted({type(each).__name__ for each in callbacks if each not in stays})
            if left_out:
                named["callbacks"] = stays
                tell(f"fit() without {', '.join(left_out)}")
        return method(*args, **named)

    wrap(trainer, "fit", around)


def _mixed_precision(keras: Any, value: str, tell: Tell) -> None:
    keras.mixed_precision.set_global_policy(value)
    tell(f"set_global_policy({value!r})")


SWITCHES: Final = (
    Switch(
        id="steps-per-execution",
        does="Runs several steps in one call of Keras.",
        works_in=("Keras",),
        finds="a call of compile that leaves steps_per_execution open",
        changes=_of_trainers(_steps_per_execution),
        keep="model.compile(optimizer, loss, steps_per_execution={value})",
        value="16",
        values="[1-9][0-9]{0,3}",
        differs=("Losses",),
        limit="Callbacks and the loss come once in that number of steps.",
        helps_often=True,
    ),
    Switch(
        id="jit-compile",
        does="Compiles the step of Keras with XLA.",
        works_in=("Keras",),
        finds="a call of compile after which Keras does not compile with XLA",
        changes=_of_trainers(_jit_compile),
        keep="model.compile(optimizer, loss, jit_compile=True)",
        limit="Results differ in their last bits. Each new shape of a batch compiles anew.",
        helps_often=True,
    ),
    Switch(
        id="mixed-precision",
        does="Computes in 16 bit, and keeps parameters in FP32.",
        works_in=("Keras",),
        finds="an import of keras",
        changes={"keras": _mixed_precision, "tf_keras": _mixed_precision},
        keep="keras.mixed_precision.set_global_policy('{value}')",
        value="mixed_float16",
        values="mixed_b?float16",
        differs=("Losses", "Number format"),
        alters="numerics",
        limit=TIME_ONLY,
    ),
    Switch(
        id="no-callbacks",
        does="Calls fit without callbacks, but for those that end the training or set its learning rate.",
        works_in=("Keras",),
        finds="callbacks that are given to fit by name",
        changes=_of_trainers(_no_callbacks),
        shows="what callbacks cost",
        alters="training",
        limit="A callback of your own that changes the training is left out, too.",
    ),
    Switch(
        id="no-metrics",
        does="Calls compile without metrics.",
        works_in=("Keras",),
        finds="metrics that are given to compile by name",
        changes=_of_trainers(_no_metrics),
        shows="what metrics cost",
    ),
)
