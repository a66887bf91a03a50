"""What a profile cannot show: advice of the guides to check by hand, never judged."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.engine.outcome import Row

ROWS: Final = tuple(
    Row(id, title, reason, how)
    for id, title, reason, how in (
        ("softmax-in-float32", "Softmax in float32 under mixed precision", "A 16-bit softmax outside the loss can harm convergence.", "Give such layers dtype='float32'."),
        ("batch-size-convergence", "Larger batches and convergence", "A larger batch changes training, not only speed.", "Scale the learning rate and compare validation curves."),
        ("synthetic-data-run", "A run on synthetic data", "If it is faster than the real run, the difference is the cost of input.", "Train some steps on one batch kept in memory."),
        ("shard-early", "Shard early", "With several workers each should read only its own files.", "Call dataset.shard on the list of files, before reading them."),
        ("memory-growth", "GPU memory growth", "Needed only if several processes share a GPU.", "tf.config.experimental.set_memory_growth(gpu, True)"),
        ("l2-fetch-granularity", "L2 fetch granularity", "128 bytes can help on NVIDIA GPUs.", "Set cudaLimitMaxL2FetchGranularity before training and compare step times."),
        ("report-allocations-on-oom", "Reporting allocations on out-of-memory", "Costs time in production code.", "Leave report_tensor_allocations_upon_oom off."),
        ("dali", "Preprocessing on the GPU", "Helps where the CPU is the limit and the pipeline is parallel already.", "Compare with NVIDIA DALI or Keras preprocessing layers on the GPU."),
        ("gpu-thread-count", "Number of private GPU threads", "Two a GPU suffice in most cases.", "Try TF_GPU_THREAD_COUNT=4 if launches are late although TF_GPU_THREAD_MODE=gpu_private is set."),
        ("device-placement-log", "Op placement", "Some ops have no GPU version and fall back to the CPU.", "tf.debugging.set_log_device_placement(True) before the model is built."),
        ("nsight", "What a profile does not hold", "Occupancy, memory traffic and system calls are not recorded.", "Use NVIDIA Nsight Systems for the system and Nsight Compute for single kernels."),
    )
)  # fmt: skip
