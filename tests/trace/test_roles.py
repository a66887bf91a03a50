"""The table of names: current and old names of kernels, copies, collectives and host events."""

from __future__ import annotations

import pytest

from tfperf_plugin.trace.roles import HostRole, KernelClass, Precision, Role, device_role, host_role
from tfperf_plugin.trace.roles import kernel_class as class_of
from tfperf_plugin.trace.roles import precision as precision_of

_TC, _MATRIX, _ELEMENT = KernelClass.MATRIX_TENSOR_CORE, KernelClass.MATRIX_OTHER, KernelClass.ELEMENTWISE
_REDUCE, _NORM, _RANDOM = KernelClass.REDUCTION, KernelClass.NORMALISATION, KernelClass.RANDOM
_16, _TF32, _FP32, _FP64, _NONE = (
    Precision.BITS16, Precision.TF32, Precision.FP32, Precision.FP64, Precision.UNKNOWN
)  # fmt: skip
_EIGEN = (
    "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<"
    "Eigen::Tensor<{0}, 1, 1, int>, 16, Eigen::MakePointer>, Eigen::TensorCwiseBinaryOp<Eigen::internal::"
    "scalar_product_op<{0}, {0}>, ...> const> const, Eigen::GpuDevice>, int>(...)"
)


@pytest.mark.parametrize(
    ("kernel", "kind", "precision"),
    [
        # cuBLAS and CUTLASS
        ("volta_sgemm_128x64_nn", _MATRIX, _FP32),
        ("ampere_sgemm_128x64_tn", _MATRIX, _FP32),
        ("volta_dgemm_64x64_nn", _MATRIX, _FP64),
        ("volta_h884gemm_64x64_ldg8_nn", _TC, _16),
        ("turing_h1688gemm_256x128_ldg8_stages_32x1_nn", _TC, _16),
        ("turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_nn", _TC, _16),
        ("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", _TC, _16),
        ("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", _TC, _16),
        ("cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4", _TC, _TF32),
        ("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_16x6_tn_align4>(Params)", _TC, _TF32),
        ("cutlass_75_tensorop_s1688gemm_f16_256x128_nn_align8", _TC, _16),
        ("cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_32x6_tn_align8", _TC, _16),
        ("cutlass_80_simt_sgemm_128x64_8x5_nt_align1", _MATRIX, _FP32),
        ("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4_tensor16x8x16_kernel", _TC, _16),
        ("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_stage3_kernel", _TC, _TF32),
        ("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_ffma_kernel", _MATRIX, _FP32),
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_execute_segment_k_off", _TC, _16),
        ("nvjet_hsh_128x128_64x6_2x1_v_bz_TNT", _TC, _16),
        ("nvjet_tst_192x192_64x4_1x2_h_bz_coopA_NTT", _TC, _16),
        ("void gemv2T_kernel_val<int, int, float, float, float, 128, 16, 4, 4, false>(P)", _MATRIX, _FP32),
        # cuDNN
        ("void implicit_convolve_sgemm<float, float, 128, 6, 7, 3, 3, 5, 1, false>(int)", _MATRIX, _FP32),
        ("void implicit_convolve_sgemm<__half, __half, 128, 6, 7, 3, 3, 5, 1, false>(int)", _MATRIX, _16),
        ("volta_fp16_s884cudnn_fp16_256x128_ldg8_relu_exp_interior_nhwc_tn_v1", _TC, _16),
        ("volta_scudnn_128x64_relu_interior_nn_v1", _MATRIX, _FP32),
        ("volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", _MATRIX, _FP32),
        ("void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(P)", _MATRIX, _FP32),
        ("sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_kernel", _TC, _TF32),
        ("sm80_xmma_wgrad_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_kernel", _TC, _16),
        ("void cudnn::cnn::wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 512>(int)", _MATRIX, _FP32),
        ("void tensorflow::DepthwiseConv2dGPUKernelNHWC<float, 3, 3, 1, true>(Args)", _MATRIX, _FP32),
        ("void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true>(P)", _ELEMENT, _16),
        ("void cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>(P)", _NORM, _FP32),
        # attention
        ("void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 64, 4, cutlass::half_t>>(P)", _TC, _16),
        ("void flash_bwd_kernel<Traits<64, 128, 64, 8, cutlass::bfloat16_t>>(P)", _TC, _16),
        # AMD
        ("Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_SN_1LDSB0_APM1.kd", _TC, _16),
        ("Cijk_Ailk_Bljk_HHS_BH_MT64x64x32_SN_GRVW4.kd", _MATRIX, _16),
        ("Cijk_Ailk_Bljk_SB_MT128x128x16_MI32x32x2x1_SN.kd", _TC, _FP32),
        ("Cijk_Ailk_Bljk_SB_MT128x128x16_SN_1LDSB0.kd", _MATRIX, _FP32),
        ("Im3d2Col.kd", _MATRIX, _NONE),
        # TensorFlow and XLA
        (_EIGEN.format("Eigen::half"), _ELEMENT, _16),
        (_EIGEN.format("float"), _ELEMENT, _FP32),
        (_EIGEN.format("double"), _ELEMENT, _FP64),
        ("void tensorflow::BiasNHWCKernel<float>(int, float const*)", _ELEMENT, _FP32),
        ("void tensorflow::functor::ColumnReduceKernel<float const*, float*, cub::Sum>(P)", _REDUCE, _FP32),
        ("void tensorflow::functor::ApplyAdamKernel<float>(int, float*)", KernelClass.OPTIMIZER, _FP32),
        ("void tensorflow::functor::FillPhiloxRandomKernelLaunch<Uniform<Eigen::half> >(P)", _RANDOM, _16),
        ("loop_add_fusion", _ELEMENT, _NONE),
        ("input_reduce_fusion", _REDUCE, _NONE),
        ("input_transpose_fusion.kd", _ELEMENT, _NONE),
        ("fusion_12", _ELEMENT, _NONE),
        ("triton_softmax_3", _REDUCE, _NONE),
        ("triton_poi_fused_add_7", _ELEMENT, _NONE),
        ("gemm_fusion_dot_4", _MATRIX, _NONE),
        ("my_custom_kernel", KernelClass.OTHER, _NONE),
    ],
)  # fmt: skip
def test_compute_kernels(kernel: str, kind: KernelClass, precision: Precision) -> None:
    assert device_role(kernel) is Role.KERNEL
    assert class_of(kernel, "") is kind
    assert precision_of(kernel, "") is precision


@pytest.mark.parametrize(
    ("kernel", "op", "kind"),
    [
        (_EIGEN.format("float"), "Adam/update/ResourceApplyAdam:ResourceApplyAdam", KernelClass.OPTIMIZER),
        (_EIGEN.format("float"), "model/sum:Sum", _REDUCE),
        (_EIGEN.format("float"), "model/dense/mul:Mul", _ELEMENT),
        (_EIGEN.format("float"), "model/dropout/random:RandomUniform", _RANDOM),
        ("some_library_kernel", "model/conv/Conv2D:Conv2D", _MATRIX),
        ("some_library_kernel", "", KernelClass.OTHER),
        # What a convolution launches beside its own kernel is no convolution.
        ("void cudnn::ops::nchwToNhwcKernel<float, float>(P)", "model/conv/Conv2D:Conv2D", _ELEMENT),
        (_EIGEN.format("Eigen::half"), "model/dense/MatMul:MatMul", _ELEMENT),
        # The kernel's own name is the better witness for everything but the optimizer.
        ("volta_sgemm_128x64_nn", "model/einsum:Mul", _MATRIX),
    ],
)  # fmt: skip
def test_the_op_tells_where_the_kernel_does_not(kernel: str, op: str, kind: KernelClass) -> None:
    assert class_of(kernel, op) is kind


@pytest.mark.parametrize(
    ("kernel", "shape", "precision"),
    [
        ("loop_add_fusion", "(half[4,384,1024];half[])", _16),
        ("loop_add_fusion", "(bfloat16[8,8])", _16),
        ("loop_add_fusion", "(float[8,8])", _FP32),
        ("ampere_fp16_s16816gemm_fp16_128x128_nn", "(float[8,8];float[8,8])", _16),
    ],
)
def test_recorded_shapes_tell_the_precision(kernel: str, shape: str, precision: Precision) -> None:
    assert precision_of(kernel, shape) is precision


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Role.COLLECTIVE),
        ("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", Role.COLLECTIVE),
        ("ncclAllReduceRingLLKernel_sum_f32(ncclColl)", Role.COLLECTIVE),
        ("void ncclKernel<1, 4, true>(ncclWork)", Role.COLLECTIVE),
        ("rccl_main_kernel", Role.COLLECTIVE),
        ("mscclKernel_Sum_half", Role.COLLECTIVE),
        ("Memset", Role.MEMSET),
        ("Memset 1", Role.MEMSET),
        ("MemcpyH2D", Role.H2D),
        ("MemcpyHToD", Role.H2D),
        ("CopyHostToDevice", Role.H2D),
        ("MemcpyD2H", Role.D2H),
        ("CopyDeviceToHost", Role.D2H),
        ("MemcpyD2D", Role.D2D),
        ("MemcpyP2P", Role.D2D),
        ("MemcpyOther", Role.D2D),
        ("CopyDeviceToDevice", Role.D2D),
        ("__amd_rocclr_copyBuffer", Role.D2D),
        ("MemoryAlloc", Role.NO_WORK),
        ("MemoryResidency", Role.NO_WORK),
        ("CUPTI overhead: Buffer flush", Role.NO_WORK),
    ],
)
def test_what_is_no_compute_kernel(name: str, role: Role) -> None:
    assert device_role(name) is role


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("IteratorGetNextOp::DoCompute", HostRole.INPUT_WAIT),
        ("IteratorGetNextAsOptionalOp::DoCompute", HostRole.INPUT_WAIT),
        ("IteratorGetNextAsOptional_4:IteratorGetNextAsOptional", HostRole.INPUT_WAIT),
        ("EagerLocalExecute: IteratorGetNext", HostRole.INPUT_WAIT),
        ("IteratorGetNextAsOptional_5/_47:_Recv", HostRole.PASSIVE_OP),
        ("Iterator::Root::Prefetch::ForeverRepeat[0]::MapAndBatch::Map", HostRole.ITERATOR),
        ("FunctionRun", HostRole.FUNCTION_RUN),
        ("ExecutorState::Process", HostRole.EXECUTOR),
        ("MemoryAllocation", HostRole.MEMORY),
        ("cuStreamSynchronize", HostRole.SYNC),
        ("hipStreamSynchronize", HostRole.SYNC),
        ("cuMemcpyDtoH_v2", HostRole.SYNC),
        ("cuMemcpyHtoDAsync_v2", HostRole.OTHER),
        ("XlaCompile", HostRole.COMPILE),
        ("NVPTXCompiler::CompileTargetBinary - CompileToPtx", HostRole.COMPILE),
        ("resize/ResizeBilinear:ResizeBilinear", HostRole.OP),
        ("StatefulPartitionedCall/AssignVariableOp_1:AssignVariableOp", HostRole.OP),
        ("replica_4/bert_encoder_1/layer_5/dropout/random_uniform/RandomUniform:RandomUniform", HostRole.OP),
        ("string_handle:_Arg", HostRole.PASSIVE_OP),
        ("identity_1_RetVal:_DeviceRetval", HostRole.PASSIVE_OP),
        ("div_no_nan/ReadVariableOp:ReadVariableOp", HostRole.PASSIVE_OP),
        ("MultiDeviceIteratorGetNextFromShard:MultiDeviceIteratorGetNextFromShard", HostRole.PASSIVE_OP),
        ("$array.py:268 sharding", HostRole.PYTHON),
        ("$builtins isinstance", HostRole.PYTHON),
        ("ModelCheckpoint.on_train_batch_end", HostRole.CALLBACK),
        ("EagerLocalExecute: WriteSummary", HostRole.CALLBACK),
        # Bookkeeping of the runtime is neither an op nor a user's callback.
        ("ThreadpoolListener::StartRegion", HostRole.OTHER),
        ("InstantiatedCapturedFunction::RunWithBorrowedArgs", HostRole.OTHER),
        ("BaseCollectiveExecutor::ExecuteAsync", HostRole.OTHER),
        ("KernelAndDeviceFunc::Run", HostRole.OTHER),
        ("ExecutorDoneCallback", HostRole.OTHER),
        ("ThenExecuteCallback", HostRole.OTHER),
        ("ExecutorPropagateOutputs", HostRole.OTHER),
        ("EagerExecute", HostRole.OTHER),
    ],
)
def test_host_events(name: str, role: HostRole) -> None:
    assert host_role(name) is role
