"""Tells from an event's name what the event is: one table for devices, one for hosts.

Names come from old and new versions of the CUPTI, ROCm and TensorFlow/XLA collectors. The first matching
row wins. Patterns may match anywhere in a name unless they are anchored. A name that matches no row is a
plain kernel on a device and plain activity on a host; nothing more is guessed.

Each pattern must take time proportional to the length of the name. A ``.*`` that can start at many places
takes quadratic time, so gaps between the words of a pattern are bounded, at several times the real ones.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final, TypeVar


class Role(enum.IntEnum):
    """The kind of work that a device event does."""

    KERNEL = 0
    COLLECTIVE = 1
    H2D = 2
    D2H = 3
    D2D = 4
    MEMSET = 5
    NO_WORK = 6  # bookkeeping on a stream: allocation, residency, counters, profiler overhead
    MIGRATION_H2D = 7  # the driver moves pages of managed memory
    MIGRATION_D2H = 8
    MIGRATION_D2D = 9


MIGRATIONS = (Role.MIGRATION_H2D, Role.MIGRATION_D2H, Role.MIGRATION_D2D)
# Causes of migrations, as their names end: the program asked for it, or the GPU's memory was full, or the
# page went back after the program had asked for it.
PREFETCH, EVICTION, AGAIN = "prefetch", "eviction", "after prefetch"


class KernelClass(enum.IntEnum):
    """The kind of work of a compute kernel. Where kernels overlap, the first in this order takes
    precedence."""

    MATRIX_TENSOR_CORE = 0
    MATRIX_OTHER = 1
    ELEMENTWISE = 2
    REDUCTION = 3
    OPTIMIZER = 4
    NORMALISATION = 5
    RANDOM = 6
    OTHER = 7


# How PyTorch marks the update of parameters; the name of the optimizer follows.
OPTIMIZER_STEP: Final = re.compile(r"Optimizer\.step#")
MATRIX: Final = (KernelClass.MATRIX_TENSOR_CORE, KernelClass.MATRIX_OTHER)


class Precision(enum.IntEnum):
    """The number format that a kernel computes in, as far as its name or shapes reveal it.

    ``BITS16`` covers fp16 and bf16, ``BITS8`` covers fp8 and int8.
    """

    UNKNOWN = 0
    BITS16 = 1
    TF32 = 2
    FP32 = 3
    FP64 = 4
    BITS8 = 5


class HostRole(enum.IntEnum):
    """The kind of activity of a host event, as far as the ledger needs to know."""

    OTHER = 0
    LAUNCH = 1  # a driver call or launch record with a correlation id
    SYNC = 2  # the thread blocks until the device is done
    INPUT_WAIT = 3  # the step requests the next batch from its input pipeline
    ITERATOR = 4  # one call to a tf.data iterator
    COMPILE = 5  # XLA compiles
    TRACING = 6  # a tf.function is traced
    FUNCTION_RUN = 7
    EXECUTOR = 8  # TensorFlow's executor runs ops or returns their results; has the step id
    OP = 9  # an op "name:Type" on a host thread
    PASSIVE_OP = 10  # an op that only passes on tensors, or waits
    MEMORY = 11
    PYTHON = 12  # an event of the Python tracer
    CALLBACK = 13  # recorded work outside the step: callbacks, metrics, checkpoints
    DISPATCH = 14  # JAX calls a compiled function, XLA hands its program to a GPU, or PyTorch runs an op


ANY_CASE: Final = "(?i)"
"""Begins a pattern that holds in upper and lower case; such a pattern has no classes like ``\\W``."""
_T = TypeVar("_T")
# A profile has few distinct kernels and op types, but thousands of (kernel, op, shape) combinations.
_remembered = lru_cache(1 << 14)


def _says(pattern: str) -> Callable[[str], bool]:
    """Whether a name matches the pattern."""
    compiled = cache(lambda: _compiled(pattern, re.DOTALL))  # on first use: most commands need none
    return lambda name: _finds(compiled(), name)


def _first(default: _T, *rows: tuple[_T, str]) -> Callable[[str], _T]:
    """The value of the first row whose pattern a name matches; ``default`` if none does."""
    table = cache(lambda: tuple((value, _compiled(pattern)) for value, pattern in rows))
    return lambda name: next((value for value, compiled in table() if _finds(compiled, name)), default)


def _compiled(pattern: str, flags: int = 0) -> tuple[re.Pattern[str], bool]:
    """The pattern, and whether it is searched in names' lower case, which takes a third of the time that a
    search without regard to case takes."""
    lower = pattern.startswith(ANY_CASE)
    return re.compile(pattern.removeprefix(ANY_CASE).lower() if lower else pattern, flags), lower


def _finds(compiled: tuple[re.Pattern[str], bool], name: str) -> bool:
    pattern, lower = compiled
    return pattern.search(name.lower() if lower else name) is not None


device_role = _remembered(
    _first(
        Role.KERNEL,
        (Role.MIGRATION_H2D, r"^UM_BYTES_TRANSFER_HTOD"),
        (Role.MIGRATION_D2H, r"^UM_BYTES_TRANSFER_DTOH"),
        (Role.MIGRATION_D2D, r"^UM_BYTES_TRANSFER_DTOD"),
        (
            Role.NO_WORK,
            r"^(MemoryAlloc|MemoryFree|MemFree|MemoryResidency|UnifiedMemory|UM_|Environment|CUPTI overhead)",
        ),
        (Role.COLLECTIVE, r"(?i)^(void )?(nccl|rccl|mscclKernel|nvshmem)"),
        (
            Role.COLLECTIVE,
            r"(?i)(multimem|one_shot|two_shot)_all_?reduce|cross_device_reduce_|ep::(inter|intra)node|"
            r"allreduce_fusion_kernel|(one|two)ShotAllReduce|quickreduce::allreduce|userbuffers_fp16_sum|"
            r"trtllm_mnnvl_all_?reduce",
        ),
        (Role.MEMSET, r"(?i)^memset|FillBuffer|__amd_rocclr_fillBuffer"),
        (Role.H2D, r"(?i)^memcpy(H2D|HtoD|HToD)|CopyHostToDevice"),
        (Role.D2H, r"(?i)^memcpy(D2H|DtoH|DToH)|CopyDeviceToHost"),
        (Role.D2D, r"(?i)^memcpy(D2D|DtoD|DToD|P2P|PtoP)|CopyDeviceToDevice|__amd_rocclr_copy"),
        (Role.D2D, r"(?i)^memcpyOther"),
    )
)
"""The role of an event of a GPU."""

# XLA's collective instructions. Asynchronous ones have two parts, of which "-done" only waits.
is_collective_op = _says(
    r"^%?(all-reduce|all-gather|reduce-scatter|all-to-all|ragged-all-to-all|collective-permute|"
    r"collective-broadcast)(-start|-done)?(\.\d+)*$"
)
"""Whether an op is a collective, whatever its kernel is called: XLA has kernels of its own for some."""

# Kernels whose name says that they use Tensor Cores (NVIDIA) or matrix cores (AMD). "simt" and "ffma" mark
# variants of the same families that do not.
uses_tensor_cores = _remembered(
    _says(
        r"^(?!.*(simt|ffma|hfma|dfma|sm(50|60|61)_)).*("
        r"16816|161616|c1688|conv2d_c1_k1|dgrad_1x1_stride_2x2|first_layer_wgrad_kernel|h1688|h884|hmma|i16832|"
        r"i8816|[sd]884|s1688|xmma_|nvjet_|wgmma|gmma|tensorop|Mma(Volta)?TensorOp|sm(90|100|103|120)_|"
        r"s64x\d+x\d+gemm|flash_?(attn|fwd|bwd|fprop|bprop)|fmha|Cijk_.{0,200}_MI\d+x|_MFMA|_xdl|gtcx\d*_)",
    )
)
"""Whether a kernel's name says that it runs on Tensor Cores (NVIDIA) or matrix cores (AMD)."""

# Matrix products whose name says that they run on the ordinary units. Nothing is known about kernels on
# neither list: those generated by Triton or XLA may use either.
_runs_on_ordinary_units = _says(
    r"simt|ffma|hfma|(?<![a-z])[sh]gemm|[sh]cudnn_(?!.{0,200}(1688|884))|convolve_[sh]gemm|_alg0_engine|dgrad_engine|"
    r"gemmSN|gemmk1|grouped_direct|naive_conv|Sp3AsmConv|winograd(?!.{0,200}_s?1688)|^(?=.*Cijk_)(?!.*_MI\d+x)"
)
FAILED_CALL: Final = "error {error} of {call}"
"""How a launch is called that returned an error: the GPU runs nothing for it."""
_ALIGNED: Final = re.compile(r"_align(\d{1,2})(?!\d)")
# Products whose blocks do not each compute one tile: persistent kernels, and those that split the sum (AMD's
# libraries: GSU, global split; SK, stream-K).
shares_tiles = _remembered(
    _says(r"(?i)split_?k|stream_?k|persistent|nvjet|warp_?specialized|_GSU([2-9]|\d\d)|_SK[1-9]")
)
"""Whether a product's number of blocks does not follow from its size, by its kernel's name."""
# Kernels on ordinary units that multiply and add in 16 bits; others compute in float32.
computes_in_half = _says(r"hfma|(?<![a-z])hgemm|hcudnn_|convolve_hgemm")
"""Whether a product on the ordinary units accumulates in 16 bits, which is faster there than float32."""
# Matrix-vector products, and the preparation or completion of a product: memory-bound on any unit.
_is_no_product = _says(
    r"(?i)gemv|im(2|[23]d2)col|col2im|winograd\w{0,99}(data|delta|output|filter)|generatewinogradtiles|depthwise|"
    r"conv2d_c1_k1|grouped_direct|fft2d|splitk_?reduce"
)

# Types of ops that multiply each channel separately.
_is_thin_product = _says(r"(?i)depthwise")

# Matched against the kernel's name. The table below is for the type of its op.
_class_by_kernel = _remembered(
    _first(
        None,
        (KernelClass.OTHER, r"(?i)compute_?offsets|precompute_indices"),
        (KernelClass.RANDOM, r"(?i)philox|random|curand|threefry"),
        (
            KernelClass.NORMALISATION,
            r"(?i)batch_?norm|layer_?norm|bn_?(fw|bw|add)|instance_?norm|group_?norm|rms_?norm",
        ),
        (KernelClass.REDUCTION, r"(?i)splitk_?reduce"),
        (
            KernelClass.MATRIX_OTHER,
            r"(?i)gemm|gemv|conv(olve|2d|3d|_|1x1)|(?<![a-z])[wd]grad|bwdwrw|implicit_|winograd|_xmma_|cutlass|nvjet|Cijk_|"
            r"flash_?(attn|fwd|bwd|fprop|bprop)|fmha|sdpa|^cudnn.*fft|fft2d_(r2c|c2r)|dot_?fusion|gemm_fusion|"
            r"miopen.{0,200}conv|gfx\d+_f\d+x\d+|Im[23]d2Col|hmma|[hs]884|[chs]1688|16816|[hs]cudnn_",
        ),
        (
            KernelClass.OPTIMIZER,
            r"(?i)apply(_?(adam|sgd|momentum|gradient|rms|adagrad|ftrl|keras))|optimizer",
        ),
        (
            KernelClass.REDUCTION,
            r"(?i)reduce|reduction|softmax|argmax|argmin|cub::Device|biasgrad|generatenormalizedprob",
        ),
        (
            KernelClass.ELEMENTWISE,
            r"(?i)elementwise|elemwise|eigenmetakernel|cwise|loop_.{0,200}fusion|(^|_)fusion|_gpu_dt_\w{1,99}_kernel|"
            r"\b(add|mul|sub|div|relu|gelu|tanh|"
            r"sigmoid|cast|select|exp|log|sqrt|rsqrt|neg|bias)[A-Za-z]*_?(kernel|gpu)|transpose|swapdimension|"
            r"shuffleintensor|bias(add|nhwc|nchw)|nchwToNhwc|nhwcToNchw|wrapped_|triton_|scalepackedtensor|"
            r"^SubTensorOp|^OpTensor|^MIOpenNeuron",
        ),
    )
)

_class_by_op = _remembered(
    _first(
        None,
        (KernelClass.OPTIMIZER, r"(ResourceApply|ResourceSparseApply|ApplyAdam|ApplyGradient)"),
        (
            KernelClass.MATRIX_OTHER,
            r"(MatMul|Conv[123]D|Einsum|CudnnRNN|XlaDot|DepthwiseConv)|^(dot|cublas-\w*-?gemm|cudnn-conv)\b|"
            r"^((add|badd)?(b?mm)|linear|_?scaled_mm|(cudnn|miopen|mkldnn)?_?convolution\w*|conv[123]d)$",
        ),
        (KernelClass.NORMALISATION, r"(BatchNorm|LayerNorm)|(batch|layer|group|rms)_norm"),
        (
            KernelClass.RANDOM,
            r"(Random|Dropout|Stateless)|^(native_)?dropout|^(bernoulli|normal|uniform|rand\w*)_?$",
        ),
        (
            KernelClass.REDUCTION,
            r"(Sum|Mean|Softmax|Max|Min|Prod|ArgMax|ArgMin|BiasAddGrad)$|^(sum|mean|_?(log_)?softmax\w*|argmax|topk)$",
        ),
        (
            KernelClass.ELEMENTWISE,
            r"(Add|AddV2|Mul|Sub|RealDiv|Relu|ReluGrad|Cast|Select|Tanh|Sigmoid|BiasAdd|Transpose|Gelu)$",
        ),
    )
)

# Types of ops that Tensor Cores can compute. Depthwise convolutions are left out: each channel is a product
# of its own, too thin for Tensor Cores.
tensor_core_eligible = _remembered(
    _says(
        r"^_?(Fused)?(Batch)?MatMul(V[23])?$|^_?(Fused)?Conv[23]D|Einsum|CudnnRNN|XlaDot|XlaConv|"
        r"^(dot|convolution|cublas-[\w-]*gemm|cudnn-conv[\w-]*|gemm_fusion_dot)\b|"
        r"^((add|badd)?b?mm|linear|(cudnn|miopen)_convolution\w*|_convolution|convolution_backward)$"
    )
)
"""Whether ops of this type can run on Tensor Cores. For other ops, the matrix kernel itself decides."""

# Names of kernels and ops that only reorder the dimensions of tensors for a convolution: kernels of cuDNN and
# MIOpen, and the ops that TensorFlow's layout optimizer adds.
_changes_layout = _says(r"(?i)nchwToNhwc|nhwcToNchw|nchw2cnhw|cnhw2nchw")
_is_layout_op = _says(r"LayoutOptimizer")
_transposes = _says(r"(?i)transpose|SwapDimension\dAnd\dInTensor|ShuffleInTensor3")
# TensorFlow's kernel that reverses three dimensions. Inside a convolution it converts filters (HWIO) to
# cuDNN's order, or their gradients back. For images it uses another order.
_reverses_three = _says(r"ShuffleInTensor3\w{0,99}<[\w: ]{1,99}, 2, 1, 0\b")
_convolves = _says(r"Conv[23]D|cudnn-conv")

is_of_pytorch = _remembered(_says(r"\bat::native::|^_ZN2at6native"))
"""Whether a kernel's name says that it is PyTorch's own."""
is_inductor = _remembered(_says(r"^triton_(poi|per|red|tem|for)_"))
"""Whether a kernel's name says that ``torch.compile`` generated it."""
# TensorFlow and XLA surround the buffers of each algorithm that they try out with zones that must not change.
checks_algorithm = _remembered(_says(r"(?i)redzone_?check"))
"""Whether a kernel's name says that it checks an algorithm that is tried out."""

_precision_by_kernel = _remembered(
    _first(
        None,
        (
            Precision.BITS8,
            r"(?i)e4m3|e5m2|(?<![a-z0-9])i8[a-z]+\d+_(i8)?i32|i8816|i16832|i161616|(?<![a-z])int8(?!_t)|imma|nvjet_(sm\d+_)?q|Cijk_\w{0,60}?_(F8|B8|I8)\w{0,60}_",
        ),
        (
            Precision.TF32,
            r"(?i)tf32|(?<!p16_)(?<!f16_)s1688gemm(?!_b?fp?16)|nvjet_(sm\d+_)?s(?!m\d)|Cijk_\w{0,60}?_S_MX_B_",
        ),
        (
            Precision.BITS16,
            r"(?i)bf16|bfloat16|fp16|(?<![a-z])half(?![a-z])|half_t|__half|Eigen4half|halfkernel|_f(loat)?16|f16f16|hgemm|"
            r"h884|h1688|h16816|hmma|s884|s161616|s16816|nvjet_(sm\d+_)?[ht]|"
            r"Cijk_\w{0,60}?_(HHS|HSS|HB|BBS|BSS|BB)_",
        ),
        (Precision.FP64, r"(?i)dgemm|d884|\bdouble\b|DT_DOUBLE|_f64|nvjet_(sm\d+_)?d|Cijk_\w{0,60}?_DB_"),
        (
            Precision.FP32,
            r"(?i)sgemm|(?<![a-z])g?cgemm|\bfloat\b|DT_FLOAT|_f32|fp32|f32f32|scudnn|Cijk_\w{0,60}?_S_?B_",
        ),
    )
)

host_role = _first(
    HostRole.OTHER,
    (HostRole.MEMORY, r"^Memory(Allocation|Deallocation)$"),
    (HostRole.EXECUTOR, r"^(ExecutorState::Process|ExecutorDoneCallback)$"),
    (HostRole.FUNCTION_RUN, r"^FunctionRun$"),
    (
        HostRole.SYNC,
        r"^(cu|cuda|hip)(Stream|Ctx|Device|Event)Synchronize|^cuMemcpy(DtoH|HtoD|DtoD)(_v2)?$|^hipMemcpy(DtoH)?$|^cudaMemcpy$|"
        r"BlockHostUntilDone|CudaStream::SynchronizeStream|SynchronizeAllActivity|^np\.asarray\(jax\.Array\)$",
    ),
    (
        HostRole.INPUT_WAIT,
        r"^IteratorGetNext(AsOptional|Sync)?Op::|:IteratorGetNext(AsOptional|Sync)?$|"
        r"^Eager(Local|Kernel)?Execute: IteratorGetNext|^get_next$|^enumerate\(DataLoader\)#|"
        r"^\[pl\]\[profile\].{0,200}dataloader_next$",
    ),
    (HostRole.ITERATOR, r"^Iterator::"),
    (
        HostRole.COMPILE,
        r"XlaCompil|^XlaCompile|CompileToLocalExecutable|CompileToExecutable|CompileXla|HloPassPipeline|"
        r"^HLO (Transforms|passes)\b|^CpuCompiler::|^FusionCompiler::Compile|"
        r"PjRt.{0,200}::Compile|LocalClient::Compile|NVPTXCompiler|GpuCompiler|^backend_compile|RunBackend|"
        r"AutotunerPass|GemmAlgorithmPicker|GpuConvAlgorithmPicker|CompileModuleToLlvm|ptxas|"
        r"^CompileToBackendResult|^CompileSingleModule|^PJRT_Client_Compile$|^lower_sharding_computation$",
    ),
    (
        HostRole.TRACING,
        r"^(tf\.function-graph_building$|trace_function|tracing|FuncGraph|func_graph_from_py_func|GrapplerFunctionOptimizer|"
        r"OptimizeFunctionGraph)",
    ),
    (
        HostRole.DISPATCH,
        r"^PjitFunction\(|^PJRT_LoadedExecutable_Execute|^(PjRt|TfrtGpu)\w*::(Execute|EnqueueExecution)|"
        r"^GpuExecutable::Execute|:XLA GPU module$|^(aten|autograd|_?c10d(_functional)?|fbgemm|torch)::",
    ),
    (HostRole.PYTHON, r"^\$"),
    (
        HostRole.CALLBACK,
        r"^(?!(Executor|Then|Pjit)).*(Callback|on_(train_|test_)?batch_(begin|end)|[Cc]heckpoint|save_weights|"
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
"""The role of an event of the host without a correlation id."""

# CUDA and HIP calls that allocate or free GPU memory or pinned host memory, and XLA's wrappers around
# them.
allocates = _says(
    r"^(cu(da)?|hip)(Ext)?(Mem)?(Host)?(Malloc|Alloc|Free|Register|Unregister)|"
    r"^(cu|hip)Mem(AddressReserve|Create|Map|Release|SetAccess|Unmap)|^Device(Mem|Host)Allocator::(Alloc|Free)$"
)
"""Whether a call of CUDA, HIP or XLA allocates or frees memory of GPUs or pinned memory of the host."""
frees = _says(r"Free|Release|Unmap|Unregister")
"""Whether a call that allocates or frees memory frees it."""
only_makes_tensor = _says(r"^aten::(new_)?(empty|full|ones|resize|zeros)(_like|_permuted|_strided)?_?$")
"""Whether an op only creates a tensor, usually for the op that encloses it."""
fills_tensor = _says(
    r"aten::(rand\w*|normal|uniform|bernoulli|exponential|random|arange|linspace|ones|zeros|full)_?( |$)"
)
"""Whether an op of PyTorch, or what is told of it after a space, fills a new tensor with values."""


@_remembered
def loads_narrowly(kernel: str, elements: int) -> bool:
    """Whether a product loads fewer elements at a time, by its name, as CUTLASS gives it."""
    aligned = _ALIGNED.search(kernel)
    return aligned is not None and int(aligned[1]) < elements


def avoids_tensor_cores(kernel: str) -> bool:
    """Whether the kernel's name says that it is a matrix product on the ordinary units."""
    return _runs_on_ordinary_units(kernel) and not uses_tensor_cores(kernel) and not _is_no_product(kernel)


@_remembered
def waits_for_memory(kernel: str, kind: str) -> bool:
    """Whether a product is memory-bound, judging by its kernel's name or its op's type.

    Kernels that only transform tensors for a product, or back, count as memory-bound too.
    """
    return _is_no_product(kernel) or _is_thin_product(kind)


def split_op(op: str) -> tuple[str, str]:
    """Returns name and type of an op "name:Type".

    PyTorch's "part/aten::mm 8×512·512×64" is its own name and of type "mm"; what has no colon, such as
    instructions of XLA, has no name.
    """
    name, _, kind = op.rpartition(":")
    return (op, kind.partition(" ")[0]) if name.endswith(":") else (name, kind)


def op_type(op: str) -> str:
    """Returns the type of an op. For an XLA instruction, its name without the number."""
    name, kind = split_op(op)
    return kind if name else re.sub(r"(\.\d{1,18}){1,8}$", "", kind)


@_remembered
def is_layout_transpose(kernel: str, op: str) -> bool:
    """Whether a kernel only reorders dimensions, because a convolution needs another order."""
    if _changes_layout(kernel) or _is_layout_op(op):
        return True
    return _convolves(op_type(op)) and _transposes(kernel)


def rearranges_weights(kernel: str, op: str) -> bool:
    """Whether a convolution reorders its filters or their gradients with it, which no image layout avoids."""
    return _convolves(op_type(op)) and _reverses_three(kernel)


def kernel_class(kernel: str, op: str) -> KernelClass:
    """Tells what a kernel computes, from its own name or else from the op that launched it."""
    op_class = _class_by_op(split_op(op)[1]) if op else None
    if op_class is KernelClass.OPTIMIZER:
        return op_class
    found = _class_by_kernel(kernel)
    # Eigen's generic kernel names say little, and the op says more. But the cast or transpose that a matmul
    # launches in addition to its own kernel is not a matmul.
    if found is None or (found is KernelClass.ELEMENTWISE and op_class is not KernelClass.MATRIX_OTHER):
        found = op_class or found
    if found is KernelClass.MATRIX_OTHER and uses_tensor_cores(kernel):
        return KernelClass.MATRIX_TENSOR_CORE
    return KernelClass.OTHER if found is None else found


def precision(kernel: str, shape: str) -> Precision:
    """Returns the number format of a kernel: from its input shapes if recorded, or else from its name.

    Only the name reveals 8-bit formats, because the recorded shapes are of a 16-bit result.
    """
    if _precision_by_kernel(kernel) is Precision.BITS8:
        return Precision.BITS8
    if "half[" in shape or "bfloat16[" in shape:
        return Precision.BITS16
    return _precision_by_kernel(kernel) or (Precision.FP32 if "float[" in shape else Precision.UNKNOWN)
