"""The table of names: current and old names of kernels, copies, collectives and host events."""

from __future__ import annotations

import pytest

from tfperf_plugin.trace.roles import (
    HostRole,
    KernelClass,
    Precision,
    Role,
    avoids_tensor_cores,
    computes_in_half,
    device_role,
    host_role,
    is_layout_transpose,
    op_type,
    tensor_core_eligible,
    uses_tensor_cores,
)
from tfperf_plugin.trace.roles import kernel_class as class_of
from tfperf_plugin.trace.roles import precision as precision_of

_TC, _MATRIX, _ELEMENT = KernelClass.MATRIX_TENSOR_CORE, KernelClass.MATRIX_OTHER, KernelClass.ELEMENTWISE
_REDUCE, _NORM, _RANDOM = KernelClass.REDUCTION, KernelClass.NORMALISATION, KernelClass.RANDOM
_8, _16, _TF32, _FP32, _FP64, _NONE = (
    Precision.BITS8, Precision.BITS16, Precision.TF32, Precision.FP32, Precision.FP64, Precision.UNKNOWN
)  # fmt: skip
_OTHER = KernelClass.OTHER
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
        ("void cutlass::Kernel<cutlass::gemm::kernel::Gemm<cutlass::gemm::threadblock::MmaMultistage<"
         "cutlass::MatrixShape<128, 32>, float, cutlass::gemm::warp::MmaTensorOp<cutlass::half_t>>>>(P)",
         _TC, _16),
        ("void cutlass::Kernel<cutlass::gemm::kernel::Gemm<cutlass::gemm::threadblock::MmaPipelined<"
         "cutlass::gemm::GemmShape<128, 128, 8>, float, cutlass::gemm::warp::MmaSimt<float>>>>(T1::Params)",
         _MATRIX, _FP32),
        ("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4_tensor16x8x16_kernel", _TC, _16),
        ("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_stage3_kernel", _TC, _TF32),
        ("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_ffma_kernel", _MATRIX, _FP32),
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_execute_segment_k_off", _TC, _16),
        ("nvjet_hsh_128x128_64x6_2x1_v_bz_TNT", _TC, _16),
        ("nvjet_tst_192x192_64x4_1x2_h_bz_coopA_NTT", _TC, _16),
        ("void gemv2T_kernel_val<int, int, float, float, float, 128, 16, 4, 4, false>(P)", _MATRIX, _FP32),
        ("sgemm_32x32x32_TN_vec", _MATRIX, _FP32),
        ("maxwell_sgemm_128x128_nn", _MATRIX, _FP32),
        ("maxwell_fp16_sgemm_fp16_128x32_nn", _MATRIX, _16),
        ("volta_fp16_sgemm_fp16_128x128_nt", _MATRIX, _16),
        ("turing_fp16_sgemm_fp16_64x64_tn", _MATRIX, _16),
        ("volta_hgemm_64x64_nn", _MATRIX, _16),
        ("volta_gcgemm_32x32_nt", _MATRIX, _FP32),
        ("ampere_h16816gemm_256x128_ldg8_stages_64x3_nt", _TC, _16),
        ("ampere_int8_i16832gemm_int8_256x128_ldg16_relu_stages_64x3_nt", _TC, _8),
        # 8-bit inputs, 32-bit sums and scales: the formats of A, B and C, D come first.
        ("sm80_xmma_gemm_i8i8_i8i32_f32_tn_n_tilesize64x64x64_stage4_warpsize2x2x1_tensor16x8x32", _TC, _8),
        ("sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_nchw_vect_c_32kcrs_vect_c_32_nchw_vect_c_32_"
         "tilesize64x96x64_stage3_warpsize2x2x1_g1_tensor16x8x32_t1r3s3", _TC, _8),
        ("sm80_xmma_gemm_i8f32_i8i32_f32_tn_n_tilesize128x64x64_stage3_warpsize2x2x1_tensor16x8x32", _TC, _8),
        ("sm72_xmma_fprop_implicit_gemm_interleaved_i8i8_i32_f32_nchw_vect_c_32kcrs", _TC, _8),
        ("Custom_Cijk_Ailk_Bljk_S_MX_B_BIAS_HA_S_SAV_NTD_SK3_UserArgs_MT256x256x32_MI16x16x1", _TC, _TF32),
        ("Cijk_Ailk_Bljk_S_B_Bias_HA_S_SAV_UserArgs_MT256x256x16_MI16x16x1", _TC, _FP32),
        ("void gemmSN_NN_kernel<float, 128, 2, 4, 8, 5, 4, false>(P)", _MATRIX, _FP32),
        ("void gemmSN_TN_kernel_64addr<float, 128, 16, 2, 4, 4, 4, true>(P)", _MATRIX, _FP32),
        ("void gemmk1_kernel<float, 256, 5, false, false, false, false, 0>(P)", _MATRIX, _FP32),
        ("void gemv2N_kernel<int, int, __half, __half, __half, float, 128, 1, 4, 4, 1, false>(P)",
         _MATRIX, _16),
        ("void splitKreduce_kernel<32, 16, int, float, float, float, float, true, false>(P)", _REDUCE, _FP32),
        ("void cublasLt::splitKreduce_kernel<32, 16, int, __half, __half, float, true>(P)", _REDUCE, _16),
        ("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(T1::Params)", _MATRIX, _FP32),
        ("void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1>(T1::Params)", _TC, _FP64),
        ("void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_nn_align8>(P)",
         _TC, _16),
        ("void cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32_32x1_tn_align2>(P)",
         _TC, _16),
        ("cutlass_80_wmma_tensorop_i161616gemm_s8_128x128_64x2_tn_align16", _TC, _8),
        ("cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x256x64_2x1x1_0_tnn_align8",
         _TC, _16),
        ("cutlass3x_sm90_tensorop_gemm_bf16_bf16_f32_void_bf16_128x128x64_1x1x1_0_tnn_align8", _TC, _16),
        ("cutlass3x_sm100_tensorop_gemm_e4m3_e4m3_f32_bf16_bf16_64x96x128_1x1x1_0_tnn_align8", _TC, _8),
        ("cutlass3x_sm100_tensorop_s256x256x8tf32implicit_gemm_fprop_f32", _TC, _TF32),
        ("sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x128x128_warpgroupsize1x1x1_kernel", _TC, _8),
        ("nvjet_sm100_tst_128x256_64x6_2x1_2cta_v_bz_TNT", _TC, _16),
        ("nvjet_qqtst_128x256_128x6_2x1_2cta_v_bz_TNT", _TC, _8),
        ("nvjet_sm100_qqtst_128x256_128x6_2x1_2cta_v_bz_TNT", _TC, _8),
        ("nvjet_sss_tf32_128x256_TNT", _TC, _TF32),
        # cuDNN
        ("maxwell_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148n_nt", _MATRIX, _FP32),
        ("cudnn_infer_ampere_scudnn_128x64_relu_xregs_large_nn_v1", _MATRIX, _FP32),
        ("cudnn_infer_ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", _MATRIX, _FP32),
        ("volta_fp16_scudnn_fp16_128x64_relu_interior_nn_v1", _MATRIX, _16),
        ("volta_s884cudnn_fp16_256x128_ldg8_dgrad_exp_small_nhwc2nchw_tt_v1", _TC, _16),
        ("turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_medium_nhwc_tn_v1", _TC, _16),
        ("sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_g1", _TC, _16),
        ("sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nhwckrsc_nhwc_tilesize128x16x8_g1_ffma_kernel",
         _MATRIX, _FP32),
        ("cutlass__5x_cudnn::Kernel<cutlass_tensorop_f16_s16816fprop_optimized_f16_128x128_32x5_nhwc_align8>",
         _TC, _16),
        ("_ZN5cudnn6detail17wgrad_alg0_engineIfLi512ELi6ELi5ELi3ELi3ELi3ELb0ELi512EEEviiiPKT_",
         _MATRIX, _NONE),
        ("void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(P)", _MATRIX, _FP32),
        ("void precomputed_convolve_sgemm<float, 1024, 5, 5, 4, 3, 3, 1, false>(P)", _MATRIX, _FP32),
        ("void cudnn::winograd::generateWinogradTilesKernel<0, float, float>(P)", _MATRIX, _FP32),
        ("void fft2d_c2r_32x32<float, false, false, 0u, false, false>(P)", _MATRIX, _FP32),
        ("void cudnn::cnn::conv2d_grouped_direct_kernel<false, true, false, false, 0, 0, int>(P)",
         _MATRIX, _NONE),
        ("cask__5x_cudnn::computeOffsetsKernel(cask__5x_cudnn::ComputeOffsetsParams)", _OTHER, _NONE),
        ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1", _TC, _16),
        ("cudnn_generated_fort_native_sdpa_sm80_flash_bprop_wmma_f16_knob_3_64x64x128_4x1x1", _TC, _16),
        ("void cudnn::bn_bw_1C11_singleread<float, 512, true, 1, 2, 0>(P)", _NORM, _FP32),
        ("void cudnn::batchnorm_bwtr_nhwc_semiPersist<__half, __half, float, 512, true>(P)", _NORM, _16),
        ("void cudnn::engines_precompiled::nhwcToNchwKernel<__half, __half, float, true, false>(P)",
         _ELEMENT, _16),
        ("void LSTM_elementWise_fp<__half, __half, float, (cudnnRNNBiasMode_t)2>(int)", _ELEMENT, _16),
        ("void cudnn::ops::scalePackedTensor_kernel<float, float>(cudnnTensor4dStruct, float*, float)",
         _ELEMENT, _FP32),
        ("void cudnn::ops::pooling_bw_kernel_max_nchw_fully_packed_small<float, float, 2>(P)", _OTHER, _FP32),
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
        ("Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN_1LDSB0_APM1", _TC, _16),
        ("Cijk_Ailk_Bjlk_HHS_BH_Bias_HA_S_SAV_UserArgs_MT64x96x32_MI16x16x1_SN_LDSB0", _TC, _16),
        ("Cijk_Alik_Bljk_F8F8S_SR_BH_MT128x128x64_MI16x16x32x1_SN", _TC, _8),
        ("Cijk_Alik_Bljk_SB_MT64x64x8_SN_1LDSB0_APM1_ABV0", _MATRIX, _FP32),
        ("Im3d2Col.kd", _MATRIX, _NONE),
        ("igemm_fwd_gtcx3_nhwc_fp16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2", _TC, _16),
        ("igemm_fwd_gtcx35_nhwc_fp32_bx0_ex1_bt128x128x16", _TC, _FP32),
        ("naive_conv_ab_nonpacked_fwd_nchw_half_double_half.kd", _MATRIX, _16),
        ("miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1", _MATRIX, _FP32),
        ("miopenSp3AsmConv_Ultra_v1_0_14_gfx10_fp16_pk_stride1", _MATRIX, _16),
        ("MIOpenBatchNormFwdTrainSpatial.kd", _NORM, _NONE),
        ("void ck::kernel_gemm_xdl_cshuffle_v1<ck::GridwiseGemm<_Float16>>(P)", _TC, _16),
        ("SubTensorOpWithScalar1d.kd", _ELEMENT, _NONE),
        ("transpose_NCHW2CNHW_opt.kd", _ELEMENT, _NONE),
        # TensorFlow and XLA
        (_EIGEN.format("Eigen::half"), _ELEMENT, _16),
        (_EIGEN.format("float"), _ELEMENT, _FP32),
        (_EIGEN.format("double"), _ELEMENT, _FP64),
        ("void tensorflow::BiasNHWCKernel<float>(int, float const*)", _ELEMENT, _FP32),
        ("void tensorflow::functor::ColumnReduceKernel<float const*, float*, cub::Sum>(P)", _REDUCE, _FP32),
        ("void tensorflow::functor::ApplyAdamKernel<float>(int, float*)", KernelClass.OPTIMIZER, _FP32),
        ("void tensorflow::functor::FillPhiloxRandomKernelLaunch<Uniform<Eigen::half> >(P)", _RANDOM, _16),
        ("_ZN5Eigen8internal15EigenMetaKernelINS_15TensorEvaluatorIKNS_14TensorAssignOpIN5Eigen4halfELi1ELi1ExEE",
         _ELEMENT, _16),
        ("void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorReductionOp<"
         "Eigen::internal::SumReducer<float>, ...> >, long>(...)", _REDUCE, _FP32),
        ("void Eigen::internal::FullReductionKernel<256, 128, Eigen::half>(P)", _REDUCE, _16),
        ("Mul_GPU_DT_HALF_DT_HALF_kernel", _ELEMENT, _16),
        ("AddV2_GPU_DT_FLOAT_DT_FLOAT_kernel", _ELEMENT, _FP32),
        ("Sub_GPU_DT_DOUBLE_DT_DOUBLE_kernel", _ELEMENT, _FP64),
        ("SigmoidGrad_GPU_DT_HALF_DT_HALF_kernel", _ELEMENT, _16),  # no "dgrad" of a convolution
        ("Cast_GPU_DT_FLOAT_DT_BFLOAT16_kernel", _ELEMENT, _16),
        ("void tensorflow::ReluGradHalfKernelVector(Eigen::half const*, Eigen::half*, int)", _ELEMENT, _16),
        ("void tensorflow::BiasGradNHWC_SharedAtomics<float>(int, float const*, float*, int)",
         _REDUCE, _FP32),
        ("void tensorflow::(anonymous namespace)::GenerateNormalizedProb<float, float>(P)", _REDUCE, _FP32),
        ("void tensorflow::functor::SwapDimension1And2InTensor3UsingTiles<unsigned int, 256, 32, 32>(P)",
         _ELEMENT, _NONE),
        ("loop_add_fusion", _ELEMENT, _NONE),
        ("loop_convert_fusion_3", _ELEMENT, _NONE),
        ("wrapped_add", _ELEMENT, _NONE),
        ("wrapped_reduce_1", _REDUCE, _NONE),
        ("triton_gemm_dot_12", _MATRIX, _NONE),
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
        ("some_xla_kernel", "dot.12", _MATRIX),
        ("some_xla_kernel", "cublas-batch-gemm.1.0", _MATRIX),
        ("some_xla_kernel", "custom-call.4", KernelClass.OTHER),
        # What a convolution launches beside its own kernel is no convolution.
        ("void cudnn::ops::nchwToNhwcKernel<float, float>(P)", "model/conv/Conv2D:Conv2D", _ELEMENT),
        (_EIGEN.format("Eigen::half"), "model/dense/MatMul:MatMul", _ELEMENT),
        # The kernel's own name is the better witness for everything but the optimizer.
        ("volta_sgemm_128x64_nn", "model/einsum:Mul", _MATRIX),
    ],
)  # fmt: skip
def test_the_op_tells_where_the_kernel_does_not(kernel: str, op: str, kind: KernelClass) -> None:
    assert class_of(kernel, op) is kind


_NOT_TOLD = (
    "gemm_fusion_dot_4",
    "triton_gemm_dot_12",
    "my_gemm_kernel",
    # Bound by memory, whatever they run on.
    "void gemv2N_kernel<int, int, __half, __half, __half, float, 128, 1, 4, 4, 1, false>(P)",
    "void cudnn::winograd_nonfused::winogradForwardData4x4<__half, float>(P)",
    "void cudnn::winograd::generateWinogradTilesKernel<0, __half, float>(P)",
    "void tensorflow::DepthwiseConv2dGPUKernelNHWC<Eigen::half, 3, 3, 1, true>(Args)",
    "void cudnn::cnn::conv2d_grouped_direct_kernel<false, true, false, false, 0, 0, int>(P)",
    "Im2d2Col.kd",
)


@pytest.mark.parametrize(
    ("kernel", "uses", "avoids"),
    [
        ("volta_fp16_sgemm_fp16_128x128_nt", False, True),
        ("volta_hgemm_64x64_nn", False, True),
        ("volta_fp16_scudnn_fp16_128x64_relu_interior_nn_v1", False, True),
        ("void implicit_convolve_sgemm<__half, __half, 128, 6, 7, 3, 3, 5, 1, false>(int)", False, True),
        ("void cudnn::cnn::wgrad_alg0_engine<__half, 128, 6, 7, 3, 3, 5, false, 512>(int)", False, True),
        ("cutlass_80_simt_hgemm_128x64_8x5_nt_align1", False, True),
        ("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_ffma_kernel", False, True),
        ("Cijk_Ailk_Bljk_HHS_BH_MT64x64x32_SN_GRVW4.kd", False, True),
        ("miopenSp3AsmConv_v30_3_1_gfx9_fp16_dot2_f2x3_stride1", False, True),
        # "conv1x1" and "direct_group" say nothing of the unit; XProf takes both for Tensor Cores.
        ("void my_conv1x1_kernel<float>(P)", False, False),
        ("volta_h884gemm_64x64_ldg8_nn", True, False),
        ("turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_medium_nhwc_tn_v1", True, False),
        # In TF32 a kernel does use them.
        ("cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4", True, False),
        ("cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32_32x1_tn_align2", True, False),
        ("Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_SN.kd", True, False),
        *((kernel, False, False) for kernel in _NOT_TOLD),
    ],
)  # fmt: skip
def test_tensor_cores_are_neither_claimed_nor_denied_without_evidence(
    kernel: str, uses: bool, avoids: bool
) -> None:
    assert (uses_tensor_cores(kernel), avoids_tensor_cores(kernel)) == (uses, avoids)


def test_half_arithmetic_is_told_from_16_bit_tensors() -> None:
    assert computes_in_half("volta_hgemm_64x64_nn")
    assert not computes_in_half("volta_fp16_sgemm_fp16_128x128_nt")


@pytest.mark.parametrize(
    ("op", "kind", "eligible"),
    [
        ("MatMul:MatMul", "MatMul", True),
        ("gradient_tape/model/dense/MatMul/MatMul_1:MatMul", "MatMul", True),
        ("model/attention/einsum/Einsum:Einsum", "Einsum", True),
        ("model/scores:BatchMatMulV2", "BatchMatMulV2", True),
        ("model/dense/Relu:_FusedMatMul", "_FusedMatMul", True),
        ("gradient_tape/model/conv3d/Conv3DBackpropFilterV2:Conv3DBackpropFilterV2",
         "Conv3DBackpropFilterV2", True),
        ("model/conv:_FusedConv2D", "_FusedConv2D", True),
        ("lstm:CudnnRNNBackpropV3", "CudnnRNNBackpropV3", True),
        ("dot.3", "dot", True),
        ("cublas-batch-gemm.1.0", "cublas-batch-gemm", True),
        ("cudnn-conv-bias-activation.2", "cudnn-conv-bias-activation", True),
        ("gemm_fusion_dot.7", "gemm_fusion_dot", True),
        ("custom-call.1", "custom-call", False),
        ("loop_add_fusion.1", "loop_add_fusion", False),
        ("model/depthwise:DepthwiseConv2dNative", "DepthwiseConv2dNative", False),
        ("model/MatMul:Mul", "Mul", False),
        ("", "", False),
    ],
)  # fmt: skip
def test_eligible_ops_are_told_by_their_type(op: str, kind: str, eligible: bool) -> None:
    assert op_type(op) == kind
    assert tensor_core_eligible(kind) is eligible


@pytest.mark.parametrize(
    ("kernel", "op", "layout"),
    [
        ("void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true>(P)", "", True),
        ("void cudnn::engines_precompiled::nhwcToNchwKernel<float, float, float, false, true>(P)", "", True),
        ("transpose_NCHW2CNHW_opt.kd", "", True),
        (
            "void tensorflow::functor::SwapDimension1And2InTensor3UsingTiles<unsigned int, 1024, 1024, 2>(P)",
            "sequential/conv1_conv/Conv2D-0-TransposeNHWCToNCHW-LayoutOptimizer:Transpose",
            True,
        ),
        ("void tensorflow::functor::ShuffleInTensor3Simple<float, 2, 1, 0>(P)",
         "model/conv/Conv2D:Conv2D", True),
        # A transpose that the model itself asks for is no matter of layout.
        ("void tensorflow::functor::SwapDimension1And2InTensor3UsingTiles<float, 256, 32, 32>(P)",
         "model/attention/transpose:Transpose", False),
        ("volta_s884cudnn_fp16_256x128_ldg8_dgrad_exp_small_nhwc2nchw_tt_v1",
         "model/conv/Conv2D:Conv2D", False),
        ("input_transpose_fusion.kd", "input_transpose_fusion", False),
    ],
)  # fmt: skip
def test_layout_transposes(kernel: str, op: str, layout: bool) -> None:
    assert is_layout_transpose(kernel, op) is layout


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Role.COLLECTIVE),
        ("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", Role.COLLECTIVE),
        ("ncclAllReduceRingLLKernel_sum_f32(ncclColl)", Role.COLLECTIVE),
        ("void ncclKernel<1, 4, true>(ncclWork)", Role.COLLECTIVE),
        ("rccl_main_kernel", Role.COLLECTIVE),
        ("mscclKernel_Sum_half", Role.COLLECTIVE),
        ("void multimem_all_reduce_kernel<float, 16>(float*, unsigned long)", Role.COLLECTIVE),
        ("void (anonymous namespace)::two_shot_all_reduce_kernel<c10::BFloat16, 16, 8>(P)", Role.COLLECTIVE),
        ("void vllm::cross_device_reduce_1stage<half, 4>(vllm::RankData*, int)", Role.COLLECTIVE),
        ("void deep_ep::internode::combine<false, 8, __nv_bfloat16, 8>(int4*, float*)", Role.COLLECTIVE),
        ("void deep_ep::intranode::dispatch<8, 768>(int4*, float*)", Role.COLLECTIVE),
        ("deep_ep::layout::get_dispatch_layout(long const*, int*)", Role.KERNEL),
        (
            "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(P)",
            Role.COLLECTIVE,
        ),
        ("void tensorrt_llm::kernels::oneShotAllReduceKernel<half, 8>(P)", Role.COLLECTIVE),
        ("void quickreduce::allreduce_prototype_twoshot<half>(P)", Role.COLLECTIVE),
        ("void at::native::reduce_kernel<512, 1>(P)", Role.KERNEL),
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
        ("__amd_rocclr_copyBufferAligned.kd", Role.D2D),
        ("__amd_rocclr_fillBufferAligned.kd", Role.MEMSET),
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
        # What JAX records of float(), np.asarray() and the like, with and without its Python tracer.
        ("np.asarray(jax.Array)", HostRole.SYNC),
        ("CudaStream::SynchronizeStream", HostRole.SYNC),
        ("XlaCompile", HostRole.COMPILE),
        ("backend_compile_and_load", HostRole.COMPILE),
        ("lower_sharding_computation", HostRole.COMPILE),
        ("PJRT_Client_Compile", HostRole.COMPILE),
        ("CompileToBackendResult", HostRole.COMPILE),
        ("CompileSingleModule", HostRole.COMPILE),
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
        ("PjitFunction(update_state)", HostRole.DISPATCH),
        ("ExecutorDoneCallback", HostRole.EXECUTOR),
        ("ThenExecuteCallback", HostRole.OTHER),
        ("ExecutorPropagateOutputs", HostRole.OTHER),
        ("EagerExecute", HostRole.OTHER),
    ],
)
def test_host_events(name: str, role: HostRole) -> None:
    assert host_role(name) is role
