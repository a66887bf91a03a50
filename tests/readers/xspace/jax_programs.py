"""Functions that JAX compiles for the processor, with what XLA itself counts: ``programs.json.xz``.

``python -m tests.readers.xspace.jax_programs``, in the root of the repository, writes that file anew, which
takes JAX (``pip install jax``), but no GPU; tests only read it.
"""

from __future__ import annotations

import base64
import json
import lzma
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.readers.xspace.raw import content

STORED = Path(__file__).parent / "programs.json.xz"


class Program(NamedTuple):
    """A serialized HloProto; operations and bytes as XLA counts them."""

    name: str
    proto: bytes
    flops: float
    bytes: float


def stored() -> list[Program]:
    """The programs that were compiled once."""
    return read(lzma.decompress(STORED.read_bytes()))


def read(text: str | bytes) -> list[Program]:
    """The programs of ``compiled``."""
    return [Program(n, base64.b64decode(proto), *counts) for n, proto, *counts in json.loads(text)]


def compiled() -> str:
    """All functions, compiled now, as JSON."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*")
    found = []
    for name, (function, arguments) in _functions(jax).items():
        program = jax.jit(function).lower(*arguments).compile()
        (module,) = program.runtime_executable().hlo_modules()
        counts = program.cost_analysis()
        proto = content(1, module.as_serialized_hlo_module_proto())
        numbers = [counts.get(key, 0.0) for key in ("flops", "bytes accessed")]
        found.append([name, base64.b64encode(proto).decode(), *numbers])
    return json.dumps(found)


def _functions(jax: Any) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    jnp, lax = jax.numpy, jax.lax

    def of(*shape: int, dtype: Any = jnp.float32) -> Any:
        return jax.ShapeDtypeStruct(shape, dtype)

    def norm(x: Any, scale: Any, bias: Any) -> Any:
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + 1e-6) * scale + bias

    def attention(q: Any, k: Any, v: Any) -> Any:
        scores = jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k) / 8.0)
        return jnp.einsum("bhqk,bhkd->bhqd", scores, v)

    def loss(p: Any, x: Any, y: Any) -> Any:
        return ((jax.nn.relu(x @ p[0] + p[1]) @ p[2] - y) ** 2).mean()

    def step(p: Any, x: Any, y: Any) -> Any:
        return jax.tree.map(lambda a, b: a - 0.01 * b, p, jax.grad(loss)(p, x, y))

    def block(w: Any, x: Any) -> Any:
        """Causal attention and a feed-forward layer, with residuals."""
        q, k, v = (jnp.einsum("btd,dhe->bhte", x, w[name]) for name in "qkv")
        causal = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
        scores = jnp.where(causal, jnp.einsum("bhtd,bhsd->bhts", q, k) / 8.0, -1e9)
        x = x + jnp.einsum("bhts,bhsd,hdo->bto", jax.nn.softmax(scores), v, w["o"])
        return x + jax.nn.gelu(x @ w["up"]) @ w["down"]

    def of_block(function: Any) -> Any:
        return jax.grad(lambda w, x: (function(w, x).astype(jnp.float32) ** 2).mean())

    def two_blocks(w: Any, x: Any) -> Any:
        once = jax.checkpoint(block)
        return once(w, jnp.sin(once(w, x)))

    def repeated_block(w: Any, x: Any) -> Any:
        return lax.scan(lambda x, w: (jax.checkpoint(block)(w, x), None), x, w)[0]

    def adam(p: Any, g: Any, m: Any, v: Any, t: Any) -> Any:
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        rate = 0.001 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        return jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), p, m, v), m, v

    def convolution(
        x: Any, w: Any, stride: int = 1, pad: str = "SAME", groups: int = 1, dilation: int = 1
    ) -> Any:
        return lax.conv_general_dilated(
            x, w, (stride, stride), pad, rhs_dilation=(dilation, dilation),
            dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups,
        )  # fmt: skip

    def gradients(function: Callable[..., Any], count: int) -> Any:
        return jax.grad(lambda *given: (function(*given) ** 2).sum(), argnums=tuple(range(count)))

    def pool(x: Any, start: float, combine: Any, size: int, pad: str) -> Any:
        return lax.reduce_window(x, start, combine, (1, size, size, 1), (1, 2, 2, 1), pad)

    bf16, i32 = jnp.bfloat16, jnp.int32
    rows, image, head = of(128, 768), of(4, 28, 28, 16), of(2, 4, 64, 32)
    parameters = (of(64, 256), of(256), of(256, 10))
    scale = of(768)

    def weights(*outer: int, dtype: Any = jnp.float32) -> dict[str, Any]:
        shapes = dict.fromkeys("qkv", (128, 4, 32)) | {
            "o": (4, 32, 128),
            "up": (128, 512),
            "down": (512, 128),
        }
        return {name: of(*outer, *shape, dtype=dtype) for name, shape in shapes.items()}

    state = {str(i): of(40 + i, 64) for i in range(30)}
    tokens = of(2, 64, 128)
    ids = of(8, 32, dtype=i32)
    return {
        "product": (lambda a, b: a @ b, (of(128, 256), of(256, 96))),
        "product in bfloat16": (lambda a, b: a @ b, (of(64, 512, dtype=bf16), of(512, 32, dtype=bf16))),
        "batched product": (lambda a, b: jnp.einsum("bij,bjk->bik", a, b), (of(8, 64, 32), of(8, 32, 48))),
        "product with a vector": (lambda a, b: a @ b, (of(300, 200), of(200))),
        "product over two dimensions": (
            lambda a, b: jnp.einsum("ijk,jkl->il", a, b), (of(20, 30, 8), of(30, 8, 9)),
        ),
        "elementwise": (lambda a, b: jnp.maximum(a * b + 1, 0) - a, (of(1000, 100), of(100))),
        "transcendental": (lambda a: jnp.tanh(jnp.exp(a) * 2) + a, (of(512, 512),)),
        "gelu": (jax.nn.gelu, (of(512, 512),)),
        "cast": (lambda a: a.astype(bf16), (of(256, 256),)),
        "sum of rows": (lambda a: a.sum(1), (of(400, 300),)),
        "maximum": (lambda a: a.max(), (of(400, 300),)),
        "softmax": (jax.nn.softmax, (of(64, 1000),)),
        "layer norm": (norm, (rows, scale, scale)),
        "layer norm, gradient": (gradients(norm, 3), (rows, scale, scale)),
        "attention": (attention, (head, head, head)),
        "attention, gradient": (gradients(attention, 3), (head, head, head)),
        "step": (step, (parameters, of(32, 64), of(32, 10))),
        "step in bfloat16": (
            step, (tuple(of(*p.shape, dtype=bf16) for p in parameters), of(32, 64, dtype=bf16), of(32, 10)),
        ),
        "block, gradient": (of_block(block), (weights(), tokens)),
        "block in bfloat16, gradient": (
            of_block(block), (weights(dtype=bf16), of(2, 64, 128, dtype=bf16)),
        ),
        "blocks, recomputation": (of_block(two_blocks), (weights(), tokens)),
        "loop over blocks, recomputation": (of_block(repeated_block), (weights(3), tokens)),
        "Adam": (adam, (state, state, state, state, of())),
        "recomputation": (jax.grad(jax.checkpoint(loss)), (parameters, of(32, 64), of(32, 10))),
        "convolution": (convolution, (image, of(3, 3, 16, 32))),
        "convolution with stride": (lambda x, w: convolution(x, w, 2), (image, of(5, 5, 16, 32))),
        "dilated convolution": (lambda x, w: convolution(x, w, 1, "VALID", 1, 2), (image, of(3, 3, 16, 8))),
        "grouped convolution": (lambda x, w: convolution(x, w, groups=4), (image, of(3, 3, 4, 32))),
        "depthwise convolution": (lambda x, w: convolution(x, w, groups=16), (image, of(3, 3, 1, 16))),
        "convolution, gradient": (
            gradients(lambda x, w: convolution(x, w, 2), 2), (image, of(3, 3, 16, 32)),
        ),
        "grouped convolution, gradient": (
            gradients(lambda x, w: convolution(x, w, groups=4), 2), (image, of(3, 3, 4, 32)),
        ),
        "loop": (
            lambda ws, x: lax.scan(lambda c, w: (jnp.tanh(c @ w), None), x, ws)[0],
            (of(7, 64, 64), of(32, 64)),
        ),
        "branch": (
            lambda n, x: lax.cond(n > 0, lambda x: x @ x, lambda x: x @ x + 1, x),
            (of(dtype=i32), of(64, 64)),
        ),
        "embedding": (lambda table, i: table[i], (of(5000, 64), ids)),
        "embedding, gradient": (jax.grad(lambda table, i: (table[i] ** 2).sum()), (of(5000, 64), ids)),
        "largest of a window": (lambda x: pool(x, -jnp.inf, lax.max, 2, "VALID"), (image,)),
        "largest of a window, gradient": (
            gradients(lambda x: pool(x, -jnp.inf, lax.max, 2, "VALID"), 1), (image,),
        ),
        "mean of a window, gradient": (gradients(lambda x: pool(x, 0.0, lax.add, 3, "SAME"), 1), (image,)),
        "transposition": (lambda a: a.T + 0, (of(300, 500),)),
        "parts": (lambda a, b: jnp.concatenate([a[:, :200], b], 1) * 2, (of(300, 500), of(300, 100))),
        "slice": (lambda a, i: lax.dynamic_slice(a, (i, 0), (10, 64)) * 2, (of(1000, 64), of(dtype=i32))),
        "update": (
            lambda a, u, i: lax.dynamic_update_slice(a, u, (i, 0)),
            (of(1000, 64), of(10, 64), of(dtype=i32)),
        ),
        "running sum": (lambda a: jnp.cumsum(a, 1), (of(64, 256),)),
        "place of the largest": (lambda a: jnp.argmax(a, 1), (of(64, 256),)),
        "sorting": (lambda a: jnp.sort(a, 1), (of(64, 256),)),
        "random numbers": (
            lambda key: jax.random.normal(jax.random.wrap_key_data(key), (256, 256)),
            (of(2, dtype=jnp.uint32),),
        ),
    }  # fmt: skip


if __name__ == "__main__":
    text = compiled()
    if "--print" in sys.argv:
        print(text)
    else:
        STORED.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
