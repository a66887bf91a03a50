"""What a profile cannot show: advice of the guides to check by hand, never judged."""

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
            "Under mixed precision a softmax that is not part of a Keras loss runs in 16 bit, which can harm convergence.",
            "Print layer.compute_dtype of the layers that end in a softmax; where it is float16 or bfloat16, build them with dtype='float32'.",
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
            "What a run on made-up data is faster than the real one is the cost of input.",
            "Train some steps on one batch that is kept in memory (dataset.take(1).cache().repeat()), and compare the step time with that of the real run.",
        ),
        sections.INPUT,
    ),
    ByHand(
        Row(
            "shard-early",
            "Shard early, and shard lists of files",
            "With several workers each should read only its own files; sharding records makes each worker read all of them.",
            "Look where the pipeline calls dataset.shard: it should be on the list of files, before they are opened, shuffled or parsed.",
        ),
        sections.BEST_PRACTICES,
    ),
    ByHand(
        Row(
            "memory-growth",
            "GPU memory growth",
            "By default TensorFlow takes nearly all memory of a GPU, so that nvidia-smi says nothing about what is needed, and other processes get none.",
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
            "Keeping account of tensors for the message of an out-of-memory error costs time.",
            "Look for report_tensor_allocations_upon_oom in tf.compat.v1.RunOptions: it should be False in production code, which is the default.",
        ),
        sections.BEST_PRACTICES,
    ),
    ByHand(
        Row(
            "dali",
            "Preprocessing on the GPU",
            "Where few processor cores feed many GPUs, a pipeline that is parallel already may still be too slow.",
            "Watch the load of the processors (top, mpstat) while training waits for input; if all are busy, compare with NVIDIA DALI or with Keras preprocessing layers inside the model.",
        ),
        sections.BEST_PRACTICES,
    ),
    ByHand(
        Row(
            "gpu-thread-count",
            "Number of private GPU threads",
            "With TF_GPU_THREAD_MODE=gpu_private each GPU gets two launch threads, which suffice in most cases.",
            "If launches are late although that mode is set, compare step times with TF_GPU_THREAD_COUNT=4.",
        ),
        sections.CONTENTION,
    ),
    ByHand(
        Row(
            "device-placement-log",
            "Log of op placement",
            "Some ops have no version for the GPU and run on the CPU wherever they are put.",
            "Call tf.debugging.set_log_device_placement(True) as the first statement of the program, run one step, and search the log for ops on CPU:0.",
        ),
        sections.PLACEMENT,
    ),
    ByHand(
        Row(
            "nsight",
            "What a profile does not hold",
            "Memory traffic, stalls inside a kernel and system calls are not recorded.",
            "Record some steps with NVIDIA Nsight Systems (nsys profile) for the system, and single kernels with Nsight Compute (ncu) for what holds them up.",
        ),
        Guide("NVIDIA › Nsight Systems user guide", "https://docs.nvidia.com/nsight-systems/UserGuide/index.html"),
    ),
)  # fmt: skip
ROWS: Final = tuple(item.row for item in ITEMS)
