"""What an event is, told from its name: one table for devices, one for hosts.

Names come from the CUPTI, ROCm and TensorFlow/XLA collectors, old and new. The first matching row
wins. Patterns are searched, not anchored, unless they say so. A name that no row knows is a plain
kernel on a device and plain host activity on a host: never guessed to be more.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar


class Role(enum.IntEnum):
    """What a device event does."""

    KERNEL = 0
    COLLECTIVE = 1
    H2D = 2
    D2H = 3
    D2D = 4
    MEMSET = 5
    NO_WORK = 6  # bookkeeping rows on a stream: allocation, residency, counters, profiler overhead


class KernelClass(enum.IntEnum):
    """What a compute kernel computes. The order is the precedence where kernels overlap."""

    MATRIX_TENSOR_CORE = 0
    MATRIX_OTHER = 1
    ELEMENTWISE = 2
    REDUCTION = 3
    OPTIMIZER = 4
    NORMALISATION = 5
    RANDOM = 6
    OTHER = 7


class Precision(enum.IntEnum):
    """The number format that a kernel computes in, as far as its name or shapes tell."""

    UNKNOWN = 0
    BITS16 = 1
    TF32 = 2
    FP32 = 3
    FP64 = 4


class HostRole(enum.IntEnum):
    """What a host event does, as far as the ledger cares."""

    OTHER = 0
    LAUNCH = 1  # a driver call or launch record that carries a correlation id
    SYNC = 2  # the thread blocks until the device has finished
    INPUT_WAIT = 3  # the step asks its input pipeline for the next batch
    ITERATOR = 4  # one call of a tf.data iterator
    COMPILE = 5  # XLA compiles
    TRACING = 6  # a tf.function is traced
    FUNCTION_RUN = 7
    EXECUTOR = 8  # ExecutorState::Process: carries the TensorFlow step id
    OP = 9  # an op "name:Type" on a host thread
    PASSIVE_OP = 10  # an op that only passes tensors on or waits
    MEMORY = 11
    PYTHON = 12  # an event of the Python tracer
    CALLBACK = 13  # recorded work outside the step: callbacks, metrics, checkpoints


_DEVICE: tuple[tuple[Role, str], ...] = (
    (
        Role.NO_WORK,
        r"^(MemoryAlloc|MemoryFree|MemFree|MemoryResidency|UnifiedMemory|Environment|CUPTI overhead)",
    ),
    (Role.COLLECTIVE, r"(?i)^(void )?(nccl|rccl|mscclKernel|nvshmem)"),
    (Role.MEMSET, r"(?i)^memset|FillBuffer|__amd_rocclr_fillBuffer"),
    (Role.H2D, r"(?i)^memcpy(H2D|HtoD|HToD)|CopyHostToDevice"),
    (Role.D2H, r"(?i)^memcpy(D2H|DtoH|DToH)|CopyDeviceToHost"),
    (Role.D2D, r"(?i)^memcpy(D2D|DtoD|DToD|P2P|PtoP)|CopyDeviceToDevice|__amd_rocclr_copyBuffer"),
    (Role.D2D, r"(?i)^memcpyOther"),
)

# XLA's collective instructions, asynchronous ones in two parts; what "-done" runs only waits.
_COLLECTIVE_OP = re.compile(
    r"^%?(all-reduce|all-gather|reduce-scatter|all-to-all|ragged-all-to-all|collective-permute|"
    r"collective-broadcast)(-start|-done)?(\.\d+)*$"
)

# Kernels whose name says that they use Tensor Cores (NVIDIA) or matrix cores (AMD); "simt" and "ffma" are
# variants of the same families that do not.
_TENSOR_CORE = re.compile(
    r"^(?!.*(simt|ffma)).*("
    r"16816|c1688|conv2d_c1_k1|dgrad_1x1_stride_2x2|first_layer_wgrad_kernel|h1688|h884|hmma|i16832|i8816|"
    r"s884|s1688|xmma_|nvjet_|wgmma|gmma|tensorop|sm(90|100|103|120)_|s64x\d+x\d+gemm|"
    r"flash_?(attn|fwd|bwd)|fmha|Cijk_.*_MI\d+x|_MFMA)",
    re.DOTALL,
)

# Looked for in the kernel's name first, then in its op's type.
_CLASS: tuple[tuple[KernelClass, str], ...] = (
    (KernelClass.RANDOM, r"(?i)philox|random|curand|threefry"),
    (KernelClass.NORMALISATION, r"(?i)batch_?norm|layer_?norm|bn_(fw|bw)|instance_?norm|group_?norm"),
    (
        KernelClass.MATRIX_OTHER,
        r"(?i)gemm|gemv|conv(olve|2d|3d|_|1x1)|wgrad|dgrad|implicit_|winograd|_xmma_|cutlass|nvjet|Cijk_|"
        r"flash_?(attn|fwd|bwd)|fmha|^cudnn.*fft|dot_?fusion|gemm_fusion|miopen.*conv|Im[23]d2Col|hmma|[hs]884|16816|"
        r"[hs]cudnn_",
    ),
    (KernelClass.OPTIMIZER, r"(?i)apply(_?(adam|sgd|momentum|gradient|rms|adagrad|ftrl|keras))|optimizer"),
    (KernelClass.REDUCTION, r"(?i)reduce|reduction|softmax|argmax|argmin|cub::Device"),
    (
        KernelClass.ELEMENTWISE,
        r"(?i)elementwise|eigenmetakernel|cwise|loop_.*fusion|(^|_)fusion|\b(add|mul|sub|div|relu|gelu|tanh|"
        r"sigmoid|cast|select|exp|log|sqrt|rsqrt|neg|bias)[A-Za-z]*_?(kernel|gpu)|transpose|swapdimension|"
        r"bias(add|nhwc|nchw)|nchwToNhwc|nhwcToNchw|wrapped_|triton_",
    ),
)

_OP_CLASS: tuple[tuple[KernelClass, str], ...] = (
    (KernelClass.OPTIMIZER, r"(ResourceApply|ResourceSparseApply|ApplyAdam|ApplyGradient)"),
    (KernelClass.MATRIX_OTHER, r"(MatMul|Conv[123]D|Einsum|CudnnRNN|XlaDot|DepthwiseConv)"),
    (KernelClass.NORMALISATION, r"(BatchNorm|LayerNorm)"),
    (KernelClass.RANDOM, r"(Random|Dropout|Stateless)"),
    (KernelClass.REDUCTION, r"(Sum|Mean|Softmax|Max|Min|Prod|ArgMax|ArgMin|BiasAddGrad)$"),
    (
        KernelClass.ELEMENTWISE,
        r"(Add|AddV2|Mul|Sub|RealDiv|Relu|ReluGrad|Cast|Select|Tanh|Sigmoid|BiasAdd|Transpose|Gelu)$",
    ),
)

_PRECISION: tuple[tuple[Precision, str], ...] = (
    (Precision.TF32, r"(?i)tf32|(?<!p16_)(?<!f16_)s1688gemm(?!_b?fp?16)|nvjet_s"),
    (
        Precision.BITS16,
        r"(?i)bf16|bfloat16|fp16|\bhalf\b|half_t|__half|eigen::half|_f16|f16f16|hgemm|h884|h1688|h16816|hmma|"
        r"s884|s161616|s16816gemm|nvjet_(h|t)|Cijk_\w*?_(HHS|HSS|HB|BBS|BSS|BB)_",
    ),
    (Precision.FP64, r"(?i)dgemm|\bdouble\b|_f64|Cijk_\w*?_DB_"),
    (Precision.FP32, r"(?i)sgemm|\bfloat\b|_f32|f32f32|scudnn|Cijk_\w*?_S_?B_"),
)

_HOST: tuple[tuple[HostRole, str], ...] = (
    (HostRole.MEMORY, r"^Memory(Allocation|Deallocation)$"),
    (HostRole.EXECUTOR, r"^ExecutorState::Process$"),
    (HostRole.FUNCTION_RUN, r"^FunctionRun$"),
    (
        HostRole.SYNC,
        r"^(cu|cuda|hip)(Stream|Ctx|Device|Event)Synchronize|^cuMemcpy(DtoH|HtoD|DtoD)(_v2)?$|^hipMemcpy(DtoH)?$|"
        r"BlockHostUntilDone|SynchronizeAllActivity",
    ),
    (
        HostRole.INPUT_WAIT,
        r"^IteratorGetNext(AsOptional|Sync)?Op::|:IteratorGetNext(AsOptional|Sync)?$|"
        r"^Eager(Local|Kernel)?Execute: IteratorGetNext|^get_next$",
    ),
    (HostRole.ITERATOR, r"^Iterator::"),
    (
        HostRole.COMPILE,
        r"XlaCompil|^XlaCompile|CompileToLocalExecutable|CompileToExecutable|CompileXla|HloPassPipeline|"
        r"^HLO (Transforms|passes)\b|^CpuCompiler::|^FusionCompiler::Compile|"
        r"PjRt.*::Compile|LocalClient::Compile|NVPTXCompiler|GpuCompiler|^backend_compile|RunBackend|"
        r"AutotunerPass|GemmAlgorithmPicker|GpuConvAlgorithmPicker|CompileModuleToLlvm|ptxas",
    ),
    (
        HostRole.TRACING,
        r"^(tf\.function-graph_building$|trace_function|tracing|FuncGraph|func_graph_from_py_func|GrapplerFunctionOptimizer|"
        r"OptimizeFunctionGraph)",
    ),
    (HostRole.PYTHON, r"^\$"),
    (
        HostRole.CALLBACK,
        r"^(?!(Executor|Then)).*(Callback|on_(train_|test_)?batch_(begin|end)|[Cc]heckpoint|save_weights|"
        r"reset_metrics|update_state|WriteScalarSummary|WriteSummary|SaveV2)",
    ),
    (
        HostRole.PASSIVE_OP,
        r":(_Arg|_Retval|_DeviceArg|_DeviceRetval|_Send|_Recv|_HostSend|_HostRecv|NoOp|Identity|IdentityN|Const|RemoteCall|"
        r"(Stateful)?PartitionedCall|If|StatelessIf|While|Merge|Switch|ReadVariableOp|VarHandleOp|"
        r"Collective\w+|Nccl\w+|IteratorFromStringHandle\w*|MultiDeviceIterator\w*|Delete\w+)$",
    ),
    (HostRole.OP, r"^[^ ]*[^ :]:[A-Z_][A-Za-z0-9_]*$"),
)

_T = TypeVar("_T")


def _compile(table: Sequence[tuple[_T, str]]) -> tuple[tuple[_T, re.Pattern[str]], ...]:
    return tuple((value, re.compile(pattern)) for value, pattern in table)


_DEVICE_ROWS, _CLASS_ROWS, _OP_CLASS_ROWS = _compile(_DEVICE), _compile(_CLASS), _compile(_OP_CLASS)
_PRECISION_ROWS, _HOST_ROWS = _compile(_PRECISION), _compile(_HOST)


def _first(rows: Sequence[tuple[_T, re.Pattern[str]]], text: str) -> _T | None:
    return next((value for value, pattern in rows if pattern.search(text)), None)


def device_role(name: str) -> Role:
    """The role of a device event."""
    role = _first(_DEVICE_ROWS, name)
    return Role.KERNEL if role is None else role


def is_collective_op(op: str) -> bool:
    """Whether an op is a collective whatever its kernel is called: XLA has kernels of its own for some."""
    return bool(_COLLECTIVE_OP.search(op))


def host_role(name: str) -> HostRole:
    """The role of a host event that carries no correlation id."""
    role = _first(_HOST_ROWS, name)
    return HostRole.OTHER if role is None else role


# A profile has few distinct kernels and op types, but thousands of (kernel, op, shape) triples.
_NAMES_COUNT = 1 << 14


@lru_cache(_NAMES_COUNT)
def _class_by_kernel(kernel: str) -> KernelClass | None:
    return _first(_CLASS_ROWS, kernel)


@lru_cache(_NAMES_COUNT)
def _class_by_op(op_type: str) -> KernelClass | None:
    return _first(_OP_CLASS_ROWS, op_type)


@lru_cache(_NAMES_COUNT)
def _precision_by_kernel(kernel: str) -> Precision | None:
    return _first(_PRECISION_ROWS, kernel)


@lru_cache(_NAMES_COUNT)
def uses_tensor_cores(kernel: str) -> bool:
    """Whether the kernel's name says that it runs on Tensor Cores or matrix cores."""
    return bool(_TENSOR_CORE.search(kernel))


def kernel_class(kernel: str, op: str) -> KernelClass:
    """What a kernel computes, from its own name, else from the op that launched it."""
    op_class = _class_by_op(op.rsplit(":", 1)[-1]) if op else None
    if op_class is KernelClass.OPTIMIZER:
        return op_class
    found = _class_by_kernel(kernel)
    # Eigen's generic kernel names say little, the op knows better; but the cast or transpose that a matmul
    # launches beside its own kernel is none.
    if found is None or (found is KernelClass.ELEMENTWISE and op_class is not KernelClass.MATRIX_OTHER):
        found = op_class or found
    if found is KernelClass.MATRIX_OTHER and uses_tensor_cores(kernel):
        return KernelClass.MATRIX_TENSOR_CORE
    return KernelClass.OTHER if found is None else found


def precision(kernel: str, shape: str) -> Precision:
    """The number format of a kernel: from its input shapes where recorded, else from its name."""
    if "half[" in shape or "bfloat16[" in shape:
        return Precision.BITS16
    found = _precision_by_kernel(kernel)
    if found is not None:
        return found
    if "float[" in shape:
        return Precision.FP32
    return Precision.UNKNOWN
