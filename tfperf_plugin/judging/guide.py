"""Sections of the public guides that rules cite."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.judging.verdicts import Guide

_GPU: Final = "https://www.tensorflow.org/guide/gpu_performance_analysis"
_PROFILER: Final = "https://www.tensorflow.org/guide/profiler"


def _gpu(title: str, anchor: str) -> Guide:
    return Guide(f"GPU performance guide › {title}", f"{_GPU}#{anchor}")


def _profiler(title: str, anchor: str) -> Guide:
    return Guide(f"Profiler guide › {title}", f"{_PROFILER}#{anchor}")


INPUT: Final = _gpu("Debug the input pipeline", "1_debug_the_input_pipeline")
FUNCTIONS: Final = _gpu("Performance optimization workflow", "performance_optimization_workflow")
STEP_GAPS: Final = _gpu("Analyze gaps between steps", "1_analyze_gaps_between_steps")
LAUNCH: Final = _gpu(
    "Small GPU kernels and host kernel launch delays", "1_small_gpu_kernels_and_host_kernel_launch_delays"
)
PLACEMENT: Final = _gpu("TensorFlow op placement", "2_tensorflow_op_placement")
TENSOR_CORES: Final = _gpu("Utilize Tensor Cores", "1_utilize_tensor_cores")
FUSE: Final = _gpu("Fuse ops", "2_fuse_ops")
MIXED_PRECISION: Final = _gpu("Enable mixed precision", "1_enable_mixed_precision")
XLA: Final = _gpu(
    "Enable XLA with tf.function(jit_compile=True) or auto-clustering",
    "2_enable_xla_with_tffunctionjit_compiletrue_or_auto-clustering",
)
LOSS_SCALING: Final = _gpu("Dynamic vs. static loss scaling", "2_dynamic_vs_static_loss_scaling")
MULTI_GPU: Final = _gpu(
    "Optimize the performance on the multi-GPU single host",
    "2_optimize_the_performance_on_the_multi-gpu_single_host",
)
ALLREDUCE: Final = _gpu("Optimize gradient AllReduce", "1_optimize_gradient_allreduce")
CONTENTION: Final = _gpu("GPU host thread contention", "2_gpu_host_thread_contention")
INSTALL: Final = _profiler(
    "Install the Profiler and GPU prerequisites", "install_the_profiler_and_gpu_prerequisites"
)
CUSTOM_LOOPS: Final = _profiler("Profiling custom training loops", "profiling_custom_training_loops")
COLLECT: Final = _profiler("Collect performance data", "collect_performance_data")
TRACE_VIEWER: Final = _profiler("Trace viewer", "trace_viewer")
MEMORY: Final = _profiler("Memory profile tool", "memory_profile_tool")
USE_CASES: Final = _profiler("Profiling use cases", "profiling_use_cases")
LAYOUT: Final = _profiler("Configure data layout", "configure_data_layout")
BEST_PRACTICES: Final = _profiler(
    "Best practices for optimal model performance", "best_practices_for_optimal_model_performance"
)
MATRIX: Final = Guide(
    "NVIDIA, Matrix Multiplication Background",
    "https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html",
)
