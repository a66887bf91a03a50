"""What an event is, told from its name: one table for devices, one for hosts.

Names come from the CUPTI, ROCm and TensorFlow/XLA collectors, old and new. The first matching row
wins. Patterns are searched, not anchored, unless they say so. A name that no row knows is a plain
kernel on a device and plain host activity on a host: never guessed to be more.

Each pattern takes time in proportion to the name's length, so no ``.*`` may start at many places of a name:
what lies between two words of a pattern has at most so many characters, several times what real names have.
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
    """The number format that a kernel computes in, as far as its name or shapes tell.

    ``BITS16`` holds fp16 and bf16, ``BITS8`` holds fp8 and int8.
    """

    UNKNOWN = 0
    BITS16 = 1
    TF32 = 2
    FP32 = 3
    FP64 = 4
    BITS8 = 5


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
    EXECUTOR = 8  # TensorFlow's executor runs ops, or hands back what they made: carries the step id
    OP = 9  # an op "name:Type" on a host thread
    PASSIVE_OP = 10  # an op that only passes tensors on or waits
    MEMORY = 11
    PYTHON = 12  # an event of the Python tracer
    CALLBACK = 13  # recorded work outside the step: callbacks, metrics, checkpoints
    DISPATCH = 14  # JAX calls a compiled function, XLA hands its program to a GPU, or PyTorch runs an op


_DEVICE: tuple[tuple[Role, str], ...] = (
    (
        Role.NO_WORK,
        r"^(MemoryAlloc|MemoryFree|MemFree|MemoryResidency|UnifiedMemory|Environment|CUPTI overhead)",
    ),
    (Role.COLLECTIVE, r"(?i)^(void )?(nccl|rccl|mscclKernel|nvshmem)"),
    (Role.MEMSET, r"(?i)^memset|FillBuffer|__amd_rocclr_fillBuffer"),
    (Role.H2D, r"(?i)^memcpy(H2D|HtoD|HToD)|CopyHostToDevice"),
    (Role.D2H, r"(?i)^memcpy(D2H|DtoH|DToH)|CopyDeviceToHost"),
    (Role.D2D, r"(?i)^memcpy(D2D|DtoD|DToD|P2P|PtoP)|CopyDeviceToDevice|__amd_rocclr_copy"),
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
    r"^(?!.*(simt|ffma|hfma|dfma|sm(50|60|61)_)).*("
    r"16816|161616|c1688|conv2d_c1_k1|dgrad_1x1_stride_2x2|first_layer_wgrad_kernel|h1688|h884|hmma|i16832|"
    r"i8816|[sd]884|s1688|xmma_|nvjet_|wgmma|gmma|tensorop|sm(90|100|103|120)_|s64x\d+x\d+gemm|"
    r"flash_?(attn|fwd|bwd|fprop|bprop)|fmha|Cijk_.{0,200}_MI\d+x|_MFMA|_xdl|gtcx\d*_)",
    re.DOTALL,
)

# Products whose name says that they run on the ordinary units. Of what is on neither list nothing is known:
# a kernel that Triton or XLA generated may use either.
_ORDINARY_UNITS = re.compile(
    r"simt|ffma|hfma|(?<![a-z])[sh]gemm|[sh]cudnn_(?!.{0,200}(1688|884))|convolve_[sh]gemm|_alg0_engine|dgrad_engine|"
    r"gemmSN|gemmk1|grouped_direct|naive_conv|Sp3AsmConv|winograd(?!.{0,200}_s?1688)|^(?=.*Cijk_)(?!.*_MI\d+x)",
    re.DOTALL,
)
# CUTLASS names the elements that it loads at once: 8 of 16 bit make the 16 bytes that suit Tensor Cores.
_NARROW_LOADS = re.compile(r"_align[124](?!\d)")
# Of those, what multiplies and adds in 16 bit; the others hold 16-bit tensors but compute in float32.
_HALF_ARITHMETIC = re.compile(r"hfma|(?<![a-z])hgemm|hcudnn_|convolve_hgemm")
# Matrix by vector, and what prepares a product or finishes it: bound by memory, whatever the unit.
_NO_PRODUCT = re.compile(
    r"(?i)gemv|im(2|[23]d2)col|col2im|winograd\w{0,99}(data|delta|output|filter)|generatewinogradtiles|depthwise|"
    r"conv2d_c1_k1|grouped_direct|fft2d|splitk_?reduce"
)

# Types of ops that multiply channel by channel.
_THIN_PRODUCT = re.compile(r"(?i)depthwise")

# Looked for in the kernel's name first, then in its op's type.
_CLASS: tuple[tuple[KernelClass, str], ...] = (
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
    (KernelClass.OPTIMIZER, r"(?i)apply(_?(adam|sgd|momentum|gradient|rms|adagrad|ftrl|keras))|optimizer"),
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

_OP_CLASS: tuple[tuple[KernelClass, str], ...] = (
    (KernelClass.OPTIMIZER, r"(ResourceApply|ResourceSparseApply|ApplyAdam|ApplyGradient)"),
    (
        KernelClass.MATRIX_OTHER,
        r"(MatMul|Conv[123]D|Einsum|CudnnRNN|XlaDot|DepthwiseConv)|^(dot|cublas-\w*-?gemm|cudnn-conv)\b",
    ),
    (KernelClass.NORMALISATION, r"(BatchNorm|LayerNorm)"),
    (KernelClass.RANDOM, r"(Random|Dropout|Stateless)"),
    (KernelClass.REDUCTION, r"(Sum|Mean|Softmax|Max|Min|Prod|ArgMax|ArgMin|BiasAddGrad)$"),
    (
        KernelClass.ELEMENTWISE,
        r"(Add|AddV2|Mul|Sub|RealDiv|Relu|ReluGrad|Cast|Select|Tanh|Sigmoid|BiasAdd|Transpose|Gelu)$",
    ),
)

# Ops that Tensor Cores can compute, by type. Depthwise convolutions are left out: each channel is a product
# of its own, too thin for them.
_ELIGIBLE = re.compile(
    r"^_?(Fused)?(Batch)?MatMul(V[23])?$|^_?(Fused)?Conv[23]D|Einsum|CudnnRNN|XlaDot|XlaConv|"
    r"^(dot|convolution|cublas-[\w-]*gemm|cudnn-conv[\w-]*|gemm_fusion_dot)\b"
)

# Names of kernels, or of ops, that only turn tensors from one order of dimensions into the other for a
# convolution: cuDNN's, MIOpen's, and the ops that TensorFlow's layout optimizer adds.
_LAYOUT_KERNEL = re.compile(r"(?i)nchwToNhwc|nhwcToNchw|nchw2cnhw|cnhw2nchw")
_LAYOUT_OP = re.compile(r"LayoutOptimizer")
_TRANSPOSE_KERNEL = re.compile(r"(?i)transpose|SwapDimension\dAnd\dInTensor|ShuffleInTensor3")
# TensorFlow's kernel that reverses three dimensions: inside a convolution it turns filters (HWIO) to cuDNN's
# order, or their gradients back. Images it turns with another order.
_WEIGHTS_KERNEL = re.compile(r"ShuffleInTensor3\w{0,99}<[\w: ]{1,99}, 2, 1, 0\b")
_CONVOLUTION_OP = re.compile(r"Conv[23]D|cudnn-conv")

_PRECISION: tuple[tuple[Precision, str], ...] = (
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

_HOST: tuple[tuple[HostRole, str], ...] = (
    (HostRole.MEMORY, r"^Memory(Allocation|Deallocation)$"),
    (HostRole.EXECUTOR, r"^(ExecutorState::Process|ExecutorDoneCallback)$"),
    (HostRole.FUNCTION_RUN, r"^FunctionRun$"),
    (
        HostRole.SYNC,
        r"^(cu|cuda|hip)(Stream|Ctx|Device|Event)Synchronize|^cuMemcpy(DtoH|HtoD|DtoD)(_v2)?$|^hipMemcpy(DtoH)?$|"
        r"BlockHostUntilDone|CudaStream::SynchronizeStream|SynchronizeAllActivity|^np\.asarray\(jax\.Array\)$",
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

# Calls of CUDA and HIP that allocate or free memory of a GPU, or pinned memory of the host, and XLA's own
# around them.
_ALLOCATES = re.compile(
    r"^(cu(da)?|hip)(Ext)?(Mem)?(Host)?(Malloc|Alloc|Free|Register|Unregister)|"
    r"^(cu|hip)Mem(AddressReserve|Create|Map|Release|SetAccess|Unmap)|^Device(Mem|Host)Allocator::(Alloc|Free)$"
)
_FREES = re.compile(r"Free|Release|Unmap|Unregister")
_MAKES_TENSOR = re.compile(r"^aten::(new_)?(empty|full|ones|resize|zeros)(_like|_permuted|_strided)?_?$")

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


def allocates(name: str) -> bool:
    """Whether a host event is a call that allocates or frees memory of a GPU or pinned memory of the host."""
    return bool(_ALLOCATES.search(name))


def frees(name: str) -> bool:
    """Whether such a call frees."""
    return bool(_FREES.search(name))


def only_makes_tensor(name: str) -> bool:
    """Whether an op only makes a tensor, mostly on behalf of the op that encloses it."""
    return bool(_MAKES_TENSOR.search(name))


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


@lru_cache(_NAMES_COUNT)
def avoids_tensor_cores(kernel: str) -> bool:
    """Whether the kernel's name says that it is a product that runs on the ordinary units."""
    return (
        bool(_ORDINARY_UNITS.search(kernel))
        and not uses_tensor_cores(kernel)
        and not _NO_PRODUCT.search(kernel)
    )


@lru_cache(_NAMES_COUNT)
def waits_for_memory(kernel: str, kind: str) -> bool:
    """Whether memory bounds a product, not the units: by its kernel's name or its op's type.

    What transforms tensors for a product, and back, is no product itself.
    """
    return bool(_NO_PRODUCT.search(kernel) or _THIN_PRODUCT.search(kind))


@lru_cache(_NAMES_COUNT)
def loads_narrowly(kernel: str) -> bool:
    """Whether a 16-bit product's name says that it loads less than 16 bytes at once."""
    return bool(_NARROW_LOADS.search(kernel))


def computes_in_half(kernel: str) -> bool:
    """Whether a product on the ordinary units adds up in 16 bit, which is faster there than float32."""
    return bool(_HALF_ARITHMETIC.search(kernel))


def op_type(op: str) -> str:
    """The type of an op "name:Type"; of an instruction of XLA its name without the number."""
    name, _, kind = op.rpartition(":")
    return kind if name else re.sub(r"(\.\d{1,18}){1,8}$", "", kind)


@lru_cache(_NAMES_COUNT)
def tensor_core_eligible(kind: str) -> bool:
    """Whether ops of this type can run on Tensor Cores; matrix kernels of other ops are so by themselves."""
    return bool(_ELIGIBLE.search(kind))


def is_layout_transpose(kernel: str, op: str) -> bool:
    """Whether a kernel only changes the order of dimensions because a convolution wants another one."""
    if _LAYOUT_KERNEL.search(kernel) or _LAYOUT_OP.search(op):
        return True
    return bool(_CONVOLUTION_OP.search(op_type(op)) and _TRANSPOSE_KERNEL.search(kernel))


def rearranges_weights(kernel: str, op: str) -> bool:
    """Whether a convolution turns its filters or their gradients with it: no layout of images avoids it."""
    return bool(_CONVOLUTION_OP.search(op_type(op)) and _WEIGHTS_KERNEL.search(kernel))


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
    """The number format of a kernel: from its input shapes where recorded, else from its name.

    8 bit is told by the name alone: the shapes beside it are those of a 16-bit result.
    """
    if _precision_by_kernel(kernel) is Precision.BITS8:
        return Precision.BITS8
    if "half[" in shape or "bfloat16[" in shape:
        return Precision.BITS16
    found = _precision_by_kernel(kernel)
    if found is not None:
        return found
    if "float[" in shape:
        return Precision.FP32
    return Precision.UNKNOWN
