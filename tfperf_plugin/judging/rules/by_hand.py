"""Advice of the guides that a profile cannot judge: to check by hand."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.judging import guide as sections
from tfperf_plugin.judging.verdicts import Guide, Row
from tfperf_plugin.records import Record


class ByHand(Record, frozen=True):
    """One piece of advice: why (``row.reason``), how to check it (``row.how``), and where it is from."""

    row: Row
    guide: Guide


ITEMS: Final = (
    ByHand(
        Row(
            "softmax-in-float32",
            "Softmax in float32 under mixed precision",
            "Under mixed precision, a softmax that is not part of a Keras loss runs in 16 bit, which can harm convergence.",
            "Print layer.compute_dtype of the layers that end in a softmax; if it is float16 or bfloat16, build them with dtype='float32'.",
        ),
        sections.MIXED_PRECISION,
    ),
    ByHand(
        Row(
            "batch-size-convergence",
            "Larger batches and convergence",
            "A larger batch changes training, not only its speed.",
            "Scale the learning rate with the batch, train both to the end, and compare validation results over examples seen, not over steps.",
        ),
        sections.MULTI_GPU,
    ),
    ByHand(
        Row(
            "synthetic-data-run",
            "A run on synthetic data",
            "The cost of input is the time by which a run on synthetic data is faster than the real run.",
            "Train a few steps on one batch kept in memory (dataset.take(1).cache().repeat()), and compare the step time with that of the real run.",
        ),
        sections.INPUT,
    ),
    ByHand(
        Row(
            "shard-early",
            "Shard early, and shard lists of files",
            "With several workers, each should read only its own files; sharding by record makes every worker read all files.",
            "Find where the pipeline calls dataset.shard: it should apply to the list of files, before they are opened, shuffled or parsed.",
        ),
        sections.BEST_PRACTICES,
    ),
    ByHand(
        Row(
            "memory-growth",
            "GPU memory growth",
            "By default, TensorFlow reserves nearly all GPU memory, so nvidia-smi does not show how much the training needs, and other processes get none.",
            "If several processes share a GPU, call tf.config.experimental.set_memory_growth(gpu, True) for each GPU before it is first used.",
        ),
        sections.BEST_PRACTICES,
    ),
    ByHand(
        Row(
            "l2-fetch-granularity",
            "L2 fetch granularity",
            "Fetching 128 bytes at a time into the L2 cache can help on NVIDIA GPUs.",
            "Call cudaDeviceSetLimit(0x05, 128) of libcudart through ctypes before the training loop, as the guide shows, and compare step times.",
        ),
        sections.BEST_PRACTICES,
    ),
    ByHand(
        Row(
            "report-allocations-on-oom",
            "Reporting allocations on out-of-memory",
            "Tracking tensors for out-of-memory messages costs time.",
            "Search for report_tensor_allocations_upon_oom in tf.compat.v1.RunOptions: in production code it should be False, the default.",
        ),
        sections.BEST_PRACTICES,
    ),
    ByHand(
        Row(
            "dali",
            "Preprocessing on the GPU",
            "If few CPU cores feed many GPUs, even a parallel input pipeline may be too slow.",
            "Watch the load of the CPU (top, mpstat) while training waits for input; if all cores are busy, try NVIDIA DALI or Keras preprocessing layers inside the model.",
        ),
        sections.BEST_PRACTICES,
    ),
    ByHand(
        Row(
            "gpu-thread-count",
            "Number of private GPU threads",
            "With TF_GPU_THREAD_MODE=gpu_private, each GPU gets two launch threads, which suffice in most cases.",
            "If launches are late despite that mode, compare step times with TF_GPU_THREAD_COUNT=4.",
        ),
        sections.CONTENTION,
    ),
    ByHand(
        Row(
            "device-placement-log",
            "Log of op placement",
            "Some ops have no GPU version and run on the CPU whatever device you request.",
            "Call tf.debugging.set_log_device_placement(True) as the first statement of the program, run one step, and search the log for ops on CPU:0.",
        ),
        sections.PLACEMENT,
    ),
    ByHand(
        Row(
            "nsight",
            "What a profile does not hold",
            "Memory traffic, stalls inside a kernel and system calls are not recorded.",
            "Record a few steps with NVIDIA Nsight Systems (nsys profile) to see the whole system, and single kernels with Nsight Compute (ncu) to see what limits them.",
        ),
        Guide("NVIDIA › Nsight Systems user guide", "https://docs.nvidia.com/nsight-systems/UserGuide/index.html"),
    ),
)  # fmt: skip
ROWS: Final = tuple(item.row for item in ITEMS)
