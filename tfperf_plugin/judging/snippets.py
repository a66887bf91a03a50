"""Code snippets that several rules show."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.judging.verdicts import jax, keras

KERAS_TEN_STEPS: Final = keras(
    "tensorboard = tf.keras.callbacks.TensorBoard(logdir, profile_batch=(10, 20))\n"
    "model.fit(ds, callbacks=[tensorboard])"
)
JAX_TEN_STEPS: Final = jax(
    "for step, batch in enumerate(batches):\n"
    "    if step == 10:  # after compiling\n"
    "        jax.profiler.start_trace(logdir)\n"
    "    with jax.profiler.StepTraceAnnotation('train', step_num=step):\n"
    "        state = train_step(state, batch)\n"
    "    if step == 20:\n"
    "        jax.block_until_ready(state)\n"
    "        jax.profiler.stop_trace()"
)
JAX_STEPS: Final = jax(
    "for step in range(steps):\n"
    "    with jax.profiler.StepTraceAnnotation('train', step_num=step):\n"
    "        state = train_step(state, next(batches))"
)
JAX_AHEAD: Final = jax(
    "def ahead(batches):\n"
    "    later = None\n"
    "    for batch in batches:\n"
    "        now, later = later, jax.device_put(batch)  # copies while the step before runs\n"
    "        if now is not None:\n"
    "            yield now\n"
    "    yield later"
)
JAX_SHARDED: Final = jax(
    "mesh = jax.make_mesh((jax.device_count(),), ('batch',))\n"
    "sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec('batch'))\n"
    "state = train_step(state, jax.device_put(batch, sharding))  # one program for all GPUs"
)
