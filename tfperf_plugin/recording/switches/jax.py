"""Switches of JAX."""

from __future__ import annotations

from typing import Any, Final

from tfperf_plugin.recording.switches.switch import TIME_ONLY, Switch, Tell


def _matmul_precision(jax: Any, value: str, tell: Tell) -> None:
    if jax.config.jax_default_matmul_precision is None:
        jax.config.update("jax_default_matmul_precision", value)
        tell(f"jax.config.update('jax_default_matmul_precision', {value!r})")


SWITCHES: Final = (
    Switch(
        id="matmul-precision",
        does="Multiplies FP32 matrices in another number format, such as bfloat16.",
        works_in=("JAX",),
        finds="an import of jax, without JAX_DEFAULT_MATMUL_PRECISION",
        changes={"jax": _matmul_precision},
        keep="jax.config.update('jax_default_matmul_precision', '{value}')",
        value="BF16_BF16_F32",
        values="[A-Za-z0-9_]{3,40}",
        differs=("Losses",),
        alters="numerics",
        limit=f"{TIME_ONLY} Products that name a precision keep it.",
    ),
)
