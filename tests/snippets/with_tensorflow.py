"""TensorFlow and Keras on two logical devices of the CPU, alone or under ``MirroredStrategy``."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ |= {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow"}
import keras
import numpy as np
import tensorflow as tf

from tests.snippets.process import Names, checked, executed, span

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)
FOLDER = Path(tempfile.mkdtemp())
EXAMPLES, WIDTH = 16, 8
#: What needs a GPU or another host, and what stands for it here.
REPLACED = {
    # Where data lie already, nothing is copied.
    'prefetch_to_device("/GPU:0"': 'prefetch_to_device("/CPU:1"',
    "tf.distribute.NcclAllReduce(": "nccl(",
    "tf.distribute.MirroredStrategy(": "mirrored(",
    "/GPU:": "/CPU:",
    '"GPU:0", "GPU:1", "GPU:2"': '"CPU:0", "CPU:1"',
    '"GPU"': '"CPU"',
    "tf.config.experimental.set_memory_growth(": "set_memory_growth(",
    "tf.profiler.experimental.client.trace(": "client_trace(",
    "tf.profiler.experimental.server.start(": "server_start(",
}
# Collectives between devices of the CPU do not recover where one snippet fails; copies do.
mirrored = functools.partial(
    tf.distribute.MirroredStrategy, cross_device_ops=tf.distribute.ReductionToOneDevice()
)
MODULES: Names = {"tf": tf, "keras": keras, "np": np, "os": os}
#: Parameter or method, where a page only names it → what takes or has it.
OWNERS: Names = {
    **dict.fromkeys(
        ("GRU", "LSTMCell", "RNN", "SimpleRNN", "BatchNormalization", "MultiHeadAttention"), keras.layers
    ),
    **dict.fromkeys(
        ("activation", "recurrent_activation", "recurrent_dropout", "unroll", "use_bias"), keras.layers.LSTM
    ),
    **dict.fromkeys(
        ("batch", "cache", "fit", "from_tensor_slices", "interleave", "map", "prefetch"), tf.data.Dataset
    ),
    **dict.fromkeys(("jit_compile", "steps_per_execution", "run_eagerly"), keras.Model.compile),
    **dict.fromkeys(("fit", "compile"), keras.Model),
    **dict.fromkeys(("num_parallel_calls", "deterministic"), tf.data.Dataset.map),
    **dict.fromkeys(("use_multiprocessing", "workers", "__getitem__"), keras.utils.PyDataset),
    **dict.fromkeys(("PyDataset", "Sequence"), keras.utils),
    **dict.fromkeys(("MirroredStrategy", "MultiWorkerMirroredStrategy", "NcclAllReduce"), tf.distribute),
    **dict.fromkeys(("ProfilerOptions", "Trace"), tf.profiler.experimental),
    **dict.fromkeys(("host_tracer_level", "python_tracer_level"), tf.profiler.experimental.ProfilerOptions),
    **dict.fromkeys(("step_num", "_r"), tf.profiler.experimental.Trace),
    **dict.fromkeys(("py_function", "numpy_function"), tf),
    "CommunicationOptions": tf.distribute.experimental,
    "LossScaleOptimizer": keras.mixed_precision,
    "apply_gradients": keras.optimizers.Optimizer,
    "auto_scale_loss": keras.Model.compile,
    "cross_device_ops": tf.distribute.MirroredStrategy,
    "data_format": keras.layers.Conv2D,
    "drop_remainder": tf.data.Dataset.batch,
    "dtype": keras.layers.Layer,
    "gradient_accumulation_steps": keras.optimizers.AdamW,
    "flash_attention": keras.layers.MultiHeadAttention,
    "input_signature": tf.function,
    "loss_scale_factor": keras.optimizers.Adam,
    "numpy": tf.constant(1.0),
    "on_train_batch_end": keras.callbacks.Callback,
    "profile_batch": keras.callbacks.TensorBoard,
    "reset_after": keras.layers.GRU,
    "set_memory_growth": tf.config.experimental,
}
#: Code that changes what ``fit`` does.
TOUCHES_FIT = re.compile(r"\b(Model|model|ds|optimizer|set_global_policy|set_image_data_format)\b")
SETS_POLICY = re.compile(
    r"\bset_(global_policy|image_data_format)\b|\A(?!.*\bmodel\b).*Strategy\(", re.DOTALL
)
#: Code that stands in a replica's step: it works on gradients that it does not compute itself.
OF_REPLICA = re.compile(r"(?ms)\A(?!.*(tape|^def |^@)).*\bgradients?\b")


def run(job: dict[str, Any]) -> None:
    """Runs a snippet and trains with what it made; or checks a span."""
    if job["span"]:
        span(
            job["text"],
            MODULES | given(tf.distribute.get_strategy(), "", "") | {"options": tf.data.Options()},
            OWNERS,
            {},
        )
        return
    code = job["text"]
    strategy = mirrored() if job["several"] else tf.distribute.get_strategy()
    with contextlib.nullcontext() if "Strategy(" in code else strategy.scope():
        names = given(strategy, job["rule"], code)
        if job["several"] and OF_REPLICA.match(code):
            strategy.run(in_replica, (code, names))
            return
        new = executed(code, names, REPLACED)
        if job["kind"] == "Keras" and TOUCHES_FIT.search(code):
            fit(names, new)
        elif job["kind"] != "Keras":
            train(code, names, new)


def fit(names: Names, new: set[str]) -> None:
    """Trains with what the snippet left: its model, optimizer, data, or policy."""
    for made in [names[name] for name in new if isinstance(names[name], type)]:
        if issubclass(made, keras.Model):
            names["model"] = made(names["model"].inputs, names["model"].outputs)
    if SETS_POLICY.search(names["code"]):
        with names["strategy"].scope():
            names |= {"model": names["build_model"](), "optimizer": "adam"}
    model = names["model"]
    if not model.compiled or ("optimizer" in new and "compile" not in names["code"]):
        with model.distribute_strategy.scope():
            model.compile(names["optimizer"] if "optimizer" in new else "adam", "mse")
    if ".fit(" not in names["code"]:
        model.fit(names["ds"], steps_per_epoch=2, verbose=0)


def train(code: str, names: Names, new: set[str]) -> None:
    """Calls the functions that the snippet only defined, and takes a step with its data."""
    for name in new & CALLS.keys():
        if f"{name}(" not in code.replace(f"def {name}(", "").replace(f"tf.function({name}", ""):
            CALLS[name](names[name], names)
    if "ds" in new and "Strategy(" not in code:
        ds = names["ds"]
        if isinstance(ds, tf.data.Dataset):
            ds = names["strategy"].experimental_distribute_dataset(ds)
        names["train_step"](next(iter(ds)))


def in_replica(code: str, names: Names) -> None:
    """Runs code of a replica's step, with the gradients of its model."""
    weights = names["model"].trainable_variables
    with tf.GradientTape() as tape:
        loss = names["compute_loss"](names["batch"])
    gradients = tape.gradient(loss, weights)
    names |= {"gradients": gradients, "gradient": gradients[0], "weight": weights[0]}
    executed(code, names | {"context": tf.distribute.get_replica_context()}, REPLACED)


def build_model() -> Any:
    """A model of two layers, as small as ``fit`` admits."""
    return keras.Sequential([keras.Input((WIDTH,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(1)])


def given(strategy: Any, rule: str, code: str) -> Names:
    """What code on pages takes for granted."""
    names = {
        **MODULES,
        "code": code,
        "strategy": strategy,
        "build_model": build_model,
        **numbers(),
        **tensors(),
        **functions(),
    }
    names |= {"loss": "mse", "optimizer": "adam", "cell": keras.layers.LSTMCell(4)}
    if "Strategy(" not in code:
        names |= ready(build_model())
    x, y = np.random.default_rng(0).random((2, 4 * EXAMPLES, WIDTH), "float32")
    examples = tf.data.Dataset.from_tensor_slices((x, y[:, :1]))
    joined = re.search(r"(?<!unbatch\(\))\.(padded_|ragged_)?(batch|bucket_\w+)\(", code)
    names |= {
        "ds": examples if joined else examples.batch(EXAMPLES, drop_remainder=True),
        "dataset": examples,
    }
    names |= training(names, strategy if "Strategy(" not in code else None)
    names |= OF_RULE[rule](names) if rule in OF_RULE else {}
    return names | {"iterator": iter(names["ds"].repeat())}


def ready(model: Any) -> Names:
    """A model with its optimizer, which has its variables: in a function of TensorFlow they come too late."""
    optimizer = keras.optimizers.Adam()
    model.compile(optimizer, "mse")
    optimizer.build(model.trainable_variables)
    return {"model": model, "optimizer": optimizer}


def training(names: Names, strategy: Any) -> Names:
    """A loop of one's own; without a strategy, that of the snippet is not known yet."""
    model: Any = names.get("model")
    optimizer = names["optimizer"]

    def compute_loss(batch: Any) -> Any:
        return tf.reduce_mean((batch[1] - model(batch[0], training=True)) ** 2)

    def replica_step(batch: Any) -> Any:
        if not strategy:
            return tf.reduce_mean(batch[0])
        with tf.GradientTape() as tape:
            loss = compute_loss(batch)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    def all_replicas(batch: Any, *_: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(replica_step, (batch,)), axis=None)

    batch = names["x"] if "tf.split(batch" in names["code"] else (names["x"], names["y"])
    return {
        "compute_loss": compute_loss,
        "replica_step": replica_step,
        "train_step": tf.function(all_replicas),
        "batch": batch,
    }


def numbers() -> Names:
    names: Names = {
        "batch_size": EXAMPLES,
        "per_gpu": 8,
        "per_replica_batch": 8,
        "global_batch": EXAMPLES,
        "gpus": 2,
    }
    names |= {"learning_rate": 1e-3, "step": 0, "steps": 4, "total": 32, "stages": 2, "micro_batches": 2}
    names |= {"units": 5, "vocabulary": 10, "hidden": 4, "channels": 4, "classes": 3, "heads": 2, "size": 4}
    names |= {"logdir": str(FOLDER), "log_dir": str(FOLDER), "path": str(FOLDER / "one.keras")}
    return names | {"shape": (4, 4, 3), "cut": 1, "losses": []}


def tensors() -> Names:
    names = {"x": tf.random.normal([EXAMPLES, WIDTH]), "y": tf.random.normal([EXAMPLES, 1])}
    names |= {"images": tf.ones([2, 16, 16, 3]), "filters": tf.ones([3, 3, 3, 4])}
    names |= {"per_channel": tf.ones([11, 11, 3, 1]), "one_by_one": tf.ones([1, 1, 3, 4])}
    names |= {name: tf.ones([WIDTH, WIDTH]) for name in ("wq", "wk", "wv", "kernel", "a", "b", "part")}
    names |= {
        "ids": tf.constant([[1, 2], [2, 3]]),
        "table": tf.ones([10, 4]),
        "labels": tf.ones([EXAMPLES, WIDTH]),
    }
    names |= {"tensors": [tf.ones([4])] * 3, "factors": [tf.ones([4])] * 3, "embeddings": tf.ones([4, WIDTH])}
    names |= {name: tf.ones([2, 2, 4, WIDTH]) for name in ("query", "key", "value", "mask")}
    return names | {"boxes": tf.ones([1, 200, 4]), "scores": tf.ones([1, 200]), "dense": tf.ones([4, WIDTH])}


def functions() -> Names:
    layer = keras.layers.Dense(WIDTH)
    same = dict.fromkeys(
        ("first_half", "second_half", "bottom_layers", "exchange", "block", "prepare"), layer
    )
    names = same | {"top_layers": lambda a, b: a + b, "apply": lambda layers, x: x, "layers": [layer, layer]}
    names |= {
        "schedule": lambda step: 0.1,
        "parse_batch": lambda x, y: (2 * x, y),
        "embedding": keras.layers.Embedding(10, 4),
    }
    names |= {
        "augment": lambda batch: batch,
        "loss_fn": keras.losses.MeanSquaredError(),
        "batch_norm": keras.layers.BatchNormalization(),
    }
    names |= {"set_memory_growth": checked(tf.config.experimental.set_memory_growth)}
    names |= {"mirrored": mirrored}
    names |= {"nccl": checked(tf.distribute.NcclAllReduce, tf.distribute.ReductionToOneDevice)}
    names |= {"client_trace": checked(tf.profiler.experimental.client.trace)}
    return names | {"server_start": checked(tf.profiler.experimental.server.start)}


def images(names: Names) -> Names:
    return {"x": names["images"]}


def large_images(names: Names) -> Names:
    ds = tf.data.Dataset.from_tensors(tf.ones([1, 224, 224, 3]))
    return {"ds": ds} if "224" in names["code"] else {}


def sequences(names: Names) -> Names:
    """Examples of different lengths, and a model for them."""
    if not re.search("padded|bucket", names["code"]):
        return {}

    def examples() -> Iterator[tuple[list[int], float]]:
        yield from [([1] * length, 1.0) for length in (3, 5, 130, 250) * 200]

    layers = [keras.Input((None,)), keras.layers.Embedding(9, 4), keras.layers.GlobalAveragePooling1D()]
    shapes = (tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.float32))
    made = ready(keras.Sequential([*layers, keras.layers.Dense(1)]))
    ds = tf.data.Dataset.from_generator(examples, output_signature=shapes)
    return {"ds": ds, **made, **training(names | made, names["strategy"])}


def records(names: Names) -> Names:
    path = str(FOLDER / "records")
    with tf.io.TFRecordWriter(path) as writer:
        for _ in range(4 * EXAMPLES):
            writer.write(tf.io.serialize_tensor(tf.ones([WIDTH])).numpy())

    def parse(record: Any) -> Any:
        return tf.ensure_shape(tf.io.parse_tensor(record, tf.float32), [WIDTH]), tf.ones([1])

    if "PyDataset" in names["code"]:
        return {"files": [path] * 2, "load": lambda _: (np.ones([4, WIDTH]), np.ones([4, 1]))}
    return {"files": tf.data.Dataset.from_tensor_slices([path]), "parse": parse}


def two_inputs(names: Names) -> Names:
    inputs = keras.Input((WIDTH,)), keras.Input((WIDTH,))
    model = keras.Model(inputs, keras.layers.Dense(1)(inputs[0] + inputs[1]))
    return ready(model) | {"prepare": lambda x: 2 * x}


def built(*more: Any) -> Callable[[], Any]:
    return lambda: (build_model(), keras.optimizers.Adam(), *more)


#: What a page means by a name that stands for something else on other pages.
OF_RULE: dict[str, Callable[[Names], Names]] = {
    "allreduce-wait": sequences,
    "xla-recompilation": sequences,
    "bias-before-batchnorm": images,
    "dominant-op": images,
    "layout-transposes": images,
    "narrow-products": images,
    "input-bound": records,
    "host-op-in-step": two_inputs,
    "rnn-loop": lambda _: {"x": tf.ones([EXAMPLES, 4, WIDTH])},
    "host-sync-in-step": lambda names: {"step": names["replica_step"]},
    "d2d-copies": lambda _: {"build": built()},
    "replica-imbalance": lambda names: {
        "build": built([keras.metrics.Mean()]),
        "step": names["replica_step"],
        "batch": tf.ones([224, 4]) if "shares" in names["code"] else names["batch"],
    },
    "slow-host": lambda names: {"make_dataset": lambda: names["dataset"].batch(8)},
    "function-retracing": large_images,
    "optimizer-per-variable": lambda names: {"variables": names["model"].trainable_variables},
    "step-outliers": lambda names: {"checkpoint": tf.train.Checkpoint(model=names["model"])},
}
#: Function that a snippet only defines → how it is called.
CALLS: dict[str, Callable[[Any, Names], Any]] = {
    "train_step": lambda call, names: (
        call(*names["batch"]) if "(x, y)" in names["code"] else call(names["batch"])
    ),
    "step": lambda call, names: call(names["batch"]),
    "attention": lambda call, names: call(*[names["query"]] * 4),
    "activation": lambda call, names: call(names["x"]),
    "product": lambda call, names: call(names["a"], names["b"]),
    "apply": lambda call, names: call([tf.ones_like(one) for one in names["variables"]]),
    "layer": lambda call, names: call(names["x"]),
}


def restore() -> None:
    """Takes back what a snippet changed for the whole process."""
    with contextlib.suppress(Exception):
        tf.profiler.experimental.stop(save=False)
    tf.debugging.set_log_device_placement(False)
    tf.config.run_functions_eagerly(False)
    tf.config.optimizer.set_experimental_options({"layout_optimizer": True})
    keras.mixed_precision.set_global_policy("float32")
    keras.config.set_image_data_format("channels_last")
