module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x32xf32>, %arg1: tensor<64x16xf32>, %arg2: tensor<16x16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16x16xf32>, %arg6: tensor<16x16xf32>, %arg7: tensor<16x64xf32>, %arg8: tensor<16x16xf32>, %arg9: tensor<16xf32>, %arg10: tensor<9x16xf32>, %arg11: tensor<32x16xf32>, %arg12: tensor<i32>, %arg13: tensor<16x32xf32>, %arg14: tensor<64x16xf32>, %arg15: tensor<16x16xf32>, %arg16: tensor<16xf32>, %arg17: tensor<16xf32>, %arg18: tensor<16x16xf32>, %arg19: tensor<16x16xf32>, %arg20: tensor<16x64xf32>, %arg21: tensor<16x16xf32>, %arg22: tensor<16xf32>, %arg23: tensor<9x16xf32>, %arg24: tensor<32x16xf32>, %arg25: tensor<16x32xf32>, %arg26: tensor<64x16xf32>, %arg27: tensor<16x16xf32>, %arg28: tensor<16xf32>, %arg29: tensor<16xf32>, %arg30: tensor<16x16xf32>, %arg31: tensor<16x16xf32>, %arg32: tensor<16x64xf32>, %arg33: tensor<16x16xf32>, %arg34: tensor<16xf32>, %arg35: tensor<9x16xf32>, %arg36: tensor<32x16xf32>, %arg37: tensor<4x9xi32>) -> (tensor<16x32xf32> {jax.result_info = "result[0]['head']"}, tensor<64x16xf32> {jax.result_info = "result[0]['layers'][0]['down']"}, tensor<16x16xf32> {jax.result_info = "result[0]['layers'][0]['k']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['n1']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['n2']"}, tensor<16x16xf32> {jax.result_info = "result[0]['layers'][0]['o']"}, tensor<16x16xf32> {jax.result_info = "result[0]['layers'][0]['q']"}, tensor<16x64xf32> {jax.result_info = "result[0]['layers'][0]['up']"}, tensor<16x16xf32> {jax.result_info = "result[0]['layers'][0]['v']"}, tensor<16xf32> {jax.result_info = "result[0]['n']"}, tensor<9x16xf32> {jax.result_info = "result[0]['pos']"}, tensor<32x16xf32> {jax.result_info = "result[0]['tok']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<16x32xf32> {jax.result_info = "result[1][0].mu['head']"}, tensor<64x16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['down']"}, tensor<16x16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['k']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['n1']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['n2']"}, tensor<16x16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['o']"}, tensor<16x16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['q']"}, tensor<16x64xf32> {jax.result_info = "result[1][0].mu['layers'][0]['up']"}, tensor<16x16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['v']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['n']"}, tensor<9x16xf32> {jax.result_info = "result[1][0].mu['pos']"}, tensor<32x16xf32> {jax.result_info = "result[1][0].mu['tok']"}, tensor<16x32xf32> {jax.result_info = "result[1][0].nu['head']"}, tensor<64x16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['down']"}, tensor<16x16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['k']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['n1']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['n2']"}, tensor<16x16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['o']"}, tensor<16x16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['q']"}, tensor<16x64xf32> {jax.result_info = "result[1][0].nu['layers'][0]['up']"}, tensor<16x16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['v']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['n']"}, tensor<9x16xf32> {jax.result_info = "result[1][0].nu['pos']"}, tensor<32x16xf32> {jax.result_info = "result[1][0].nu['tok']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.slice %arg37 [0:4, 0:8] : (tensor<4x9xi32>) -> tensor<4x8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x8xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
    %c_0 = stablehlo.constant dense<32> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x8xi32>
    %4 = stablehlo.add %0, %3 : tensor<4x8xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<4x8xi1>, tensor<4x8xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<4x8xi32>) -> tensor<4x8x1xi32>
    %7 = "stablehlo.gather"(%arg11, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<32x16xf32>, tensor<4x8x1xi32>) -> tensor<4x8x16xf32>
    %8 = stablehlo.slice %arg10 [0:8, 0:16] : (tensor<9x16xf32>) -> tensor<8x16xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1, 2] : (tensor<8x16xf32>) -> tensor<1x8x16xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x8x16xf32>) -> tensor<4x8x16xf32>
    %11 = stablehlo.add %7, %10 : tensor<4x8x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %15 = stablehlo.divide %13, %14 : tensor<4x8x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %17 = stablehlo.subtract %11, %16 : tensor<4x8x16xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %18:5 = call @_var(%11, %c_2) : (tensor<4x8x16xf32>, tensor<i32>) -> (tensor<4x8x1xf32>, tensor<4x8x16xf32>, tensor<f32>, tensor<i1>, tensor<4x8x1xf32>)
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %20 = stablehlo.add %18#0, %19 : tensor<4x8x1xf32>
    %21 = stablehlo.rsqrt %20 : tensor<4x8x1xf32>
    %22 = stablehlo.divide %21, %20 : tensor<4x8x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<4x8x1xf32>
    %25 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %26 = stablehlo.multiply %17, %25 : tensor<4x8x16xf32>
    %27 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<4x8x16xf32>
    %29 = stablehlo.multiply %26, %28 : tensor<4x8x16xf32>
    %30 = stablehlo.dot_general %29, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x16xf32>) -> tensor<4x8x16xf32>
    %31 = stablehlo.reshape %30 : (tensor<4x8x16xf32>) -> tensor<4x8x4x4xf32>
    %32 = stablehlo.transpose %31, dims = [0, 2, 1, 3] : (tensor<4x8x4x4xf32>) -> tensor<4x4x8x4xf32>
    %33 = stablehlo.dot_general %29, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x16xf32>) -> tensor<4x8x16xf32>
    %34 = stablehlo.reshape %33 : (tensor<4x8x16xf32>) -> tensor<4x8x4x4xf32>
    %35 = stablehlo.transpose %34, dims = [0, 2, 1, 3] : (tensor<4x8x4x4xf32>) -> tensor<4x4x8x4xf32>
    %36 = stablehlo.dot_general %29, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x16xf32>) -> tensor<4x8x16xf32>
    %37 = stablehlo.reshape %36 : (tensor<4x8x16xf32>) -> tensor<4x8x4x4xf32>
    %38 = stablehlo.transpose %37, dims = [0, 2, 1, 3] : (tensor<4x8x4x4xf32>) -> tensor<4x4x8x4xf32>
    %39 = stablehlo.transpose %35, dims = [0, 1, 3, 2] : (tensor<4x4x8x4xf32>) -> tensor<4x4x4x8xf32>
    %40 = stablehlo.dot_general %32, %39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x4xf32>, tensor<4x4x4x8xf32>) -> tensor<4x4x8x8xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x4x8x8xf32>
    %42 = stablehlo.divide %40, %41 : tensor<4x4x8x8xf32>
    %c_6 = stablehlo.constant dense<true> : tensor<i1>
    %43 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %44 = call @tril(%43) : (tensor<8x8xi1>) -> tensor<8x8xi1>
    %cst_7 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %45:3 = call @_where_0(%44, %42, %cst_7) : (tensor<8x8xi1>, tensor<4x4x8x8xf32>, tensor<f32>) -> (tensor<4x4x8x8xf32>, tensor<4x4x8x8xi1>, tensor<4x4x8x8xf32>)
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %46 = stablehlo.reduce(%45#0 init: %cst_8) applies stablehlo.maximum across dimensions = [3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4x4x8xf32>
    %47 = stablehlo.reshape %46 : (tensor<4x4x8xf32>) -> tensor<4x4x8x1xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<4x4x8x1xf32>) -> tensor<4x4x8x8xf32>
    %49 = stablehlo.compare EQ, %45#0, %48, FLOAT : (tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xi1>
    %50 = stablehlo.convert %49 : (tensor<4x4x8x8xi1>) -> tensor<4x4x8x8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%50 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4x4x8xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x4x8xf32>
    %53 = stablehlo.maximum %52, %46 : tensor<4x4x8xf32>
    %54 = stablehlo.compare EQ, %46, %53, FLOAT : (tensor<4x4x8xf32>, tensor<4x4x8xf32>) -> tensor<4x4x8xi1>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x4x8xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x4x8xf32>
    %57 = stablehlo.select %54, %55, %56 : tensor<4x4x8xi1>, tensor<4x4x8xf32>
    %cst_13 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x4x8xf32>
    %59 = stablehlo.compare EQ, %58, %53, FLOAT : (tensor<4x4x8xf32>, tensor<4x4x8xf32>) -> tensor<4x4x8xi1>
    %cst_14 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x4x8xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x4x8xf32>
    %62 = stablehlo.select %59, %60, %61 : tensor<4x4x8xi1>, tensor<4x4x8xf32>
    %63 = stablehlo.divide %57, %62 : tensor<4x4x8xf32>
    %64 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<4x4x8xf32>) -> tensor<4x4x8x1xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2, 3] : (tensor<4x4x8x1xf32>) -> tensor<4x4x8x8xf32>
    %66 = stablehlo.subtract %45#0, %65 : tensor<4x4x8x8xf32>
    %67 = stablehlo.exponential %66 : tensor<4x4x8x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.reduce(%67 init: %cst_16) applies stablehlo.add across dimensions = [3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4x4x8xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2] : (tensor<4x4x8xf32>) -> tensor<4x4x8x1xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2, 3] : (tensor<4x4x8x1xf32>) -> tensor<4x4x8x8xf32>
    %71 = stablehlo.divide %67, %70 : tensor<4x4x8x8xf32>
    %72 = stablehlo.multiply %69, %69 : tensor<4x4x8x1xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x4x8x1xf32>
    %74 = stablehlo.divide %73, %72 : tensor<4x4x8x1xf32>
    %75 = stablehlo.dot_general %71, %38, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x8xf32>, tensor<4x4x8x4xf32>) -> tensor<4x4x8x4xf32>
    %76 = stablehlo.transpose %75, dims = [0, 2, 1, 3] : (tensor<4x4x8x4xf32>) -> tensor<4x8x4x4xf32>
    %77 = stablehlo.reshape %76 : (tensor<4x8x4x4xf32>) -> tensor<4x8x16xf32>
    %78 = stablehlo.dot_general %77, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x16xf32>) -> tensor<4x8x16xf32>
    %79 = stablehlo.add %11, %78 : tensor<4x8x16xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.reduce(%79 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %cst_19 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %83 = stablehlo.divide %81, %82 : tensor<4x8x1xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %85 = stablehlo.subtract %79, %84 : tensor<4x8x16xf32>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %86:5 = call @_var(%79, %c_20) : (tensor<4x8x16xf32>, tensor<i32>) -> (tensor<4x8x1xf32>, tensor<4x8x16xf32>, tensor<f32>, tensor<i1>, tensor<4x8x1xf32>)
    %cst_21 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %88 = stablehlo.add %86#0, %87 : tensor<4x8x1xf32>
    %89 = stablehlo.rsqrt %88 : tensor<4x8x1xf32>
    %90 = stablehlo.divide %89, %88 : tensor<4x8x1xf32>
    %cst_22 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %92 = stablehlo.multiply %91, %90 : tensor<4x8x1xf32>
    %93 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %94 = stablehlo.multiply %85, %93 : tensor<4x8x16xf32>
    %95 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<4x8x16xf32>
    %97 = stablehlo.multiply %94, %96 : tensor<4x8x16xf32>
    %98 = stablehlo.dot_general %97, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x64xf32>) -> tensor<4x8x64xf32>
    %99 = stablehlo.multiply %98, %98 : tensor<4x8x64xf32>
    %100 = stablehlo.multiply %99, %98 : tensor<4x8x64xf32>
    %101 = stablehlo.multiply %98, %98 : tensor<4x8x64xf32>
    %cst_23 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %103 = stablehlo.multiply %102, %101 : tensor<4x8x64xf32>
    %cst_24 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %105 = stablehlo.multiply %104, %100 : tensor<4x8x64xf32>
    %106 = stablehlo.add %98, %105 : tensor<4x8x64xf32>
    %cst_25 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %108 = stablehlo.multiply %107, %106 : tensor<4x8x64xf32>
    %109 = stablehlo.tanh %108 : tensor<4x8x64xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %111 = stablehlo.subtract %110, %109 : tensor<4x8x64xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %113 = stablehlo.add %112, %109 : tensor<4x8x64xf32>
    %cst_28 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %115 = stablehlo.multiply %114, %113 : tensor<4x8x64xf32>
    %116 = stablehlo.multiply %98, %115 : tensor<4x8x64xf32>
    %117 = stablehlo.dot_general %116, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x64xf32>, tensor<64x16xf32>) -> tensor<4x8x16xf32>
    %118 = stablehlo.add %79, %117 : tensor<4x8x16xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = stablehlo.reduce(%118 init: %cst_29) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %cst_30 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %122 = stablehlo.divide %120, %121 : tensor<4x8x1xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %124 = stablehlo.subtract %118, %123 : tensor<4x8x16xf32>
    %c_31 = stablehlo.constant dense<0> : tensor<i32>
    %125:5 = call @_var(%118, %c_31) : (tensor<4x8x16xf32>, tensor<i32>) -> (tensor<4x8x1xf32>, tensor<4x8x16xf32>, tensor<f32>, tensor<i1>, tensor<4x8x1xf32>)
    %cst_32 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %127 = stablehlo.add %125#0, %126 : tensor<4x8x1xf32>
    %128 = stablehlo.rsqrt %127 : tensor<4x8x1xf32>
    %129 = stablehlo.divide %128, %127 : tensor<4x8x1xf32>
    %cst_33 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %131 = stablehlo.multiply %130, %129 : tensor<4x8x1xf32>
    %132 = stablehlo.broadcast_in_dim %128, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %133 = stablehlo.multiply %124, %132 : tensor<4x8x16xf32>
    %134 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %135 = stablehlo.broadcast_in_dim %134, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<4x8x16xf32>
    %136 = stablehlo.multiply %133, %135 : tensor<4x8x16xf32>
    %137 = stablehlo.dot_general %136, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x32xf32>) -> tensor<4x8x32xf32>
    %138 = stablehlo.slice %arg37 [0:4, 1:9] : (tensor<4x9xi32>) -> tensor<4x8xi32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0, 1] : (tensor<4x8xi32>) -> tensor<4x8x1xi32>
    %140:2 = call @take_along_axis(%137, %139) : (tensor<4x8x32xf32>, tensor<4x8x1xi32>) -> (tensor<4x8x1xf32>, tensor<4x8x1x1xi32>)
    %c_34 = stablehlo.constant dense<0> : tensor<i32>
    %141:2 = call @_take(%140#0, %c_34) : (tensor<4x8x1xf32>, tensor<i32>) -> (tensor<4x8xf32>, tensor<1xi32>)
    %cst_35 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %142 = stablehlo.reduce(%137 init: %cst_35) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8xf32>
    %143 = stablehlo.reshape %142 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %144 = stablehlo.broadcast_in_dim %143, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
    %145 = stablehlo.compare EQ, %137, %144, FLOAT : (tensor<4x8x32xf32>, tensor<4x8x32xf32>) -> tensor<4x8x32xi1>
    %146 = stablehlo.convert %145 : (tensor<4x8x32xi1>) -> tensor<4x8x32xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.reduce(%146 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8xf32>
    %cst_37 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %149 = stablehlo.maximum %148, %142 : tensor<4x8xf32>
    %150 = stablehlo.compare EQ, %142, %149, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %153 = stablehlo.select %150, %151, %152 : tensor<4x8xi1>, tensor<4x8xf32>
    %cst_40 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %155 = stablehlo.compare EQ, %154, %149, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    %cst_41 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %158 = stablehlo.select %155, %156, %157 : tensor<4x8xi1>, tensor<4x8xf32>
    %159 = stablehlo.divide %153, %158 : tensor<4x8xf32>
    %160 = stablehlo.is_finite %149 : (tensor<4x8xf32>) -> tensor<4x8xi1>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %162 = stablehlo.select %160, %149, %161 : tensor<4x8xi1>, tensor<4x8xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %164 = stablehlo.broadcast_in_dim %162, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %165 = stablehlo.broadcast_in_dim %164, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
    %166 = stablehlo.subtract %137, %165 : tensor<4x8x32xf32>
    %167 = stablehlo.exponential %166 : tensor<4x8x32xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %168 = stablehlo.reduce(%167 init: %cst_45) applies stablehlo.add across dimensions = [2] : (tensor<4x8x32xf32>, tensor<f32>) -> tensor<4x8xf32>
    %169 = stablehlo.sign %168 : tensor<4x8xf32>
    %170 = stablehlo.abs %168 : tensor<4x8xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %172 = stablehlo.compare GE, %168, %171, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    %173 = stablehlo.log %170 : tensor<4x8xf32>
    %174 = stablehlo.add %173, %162 : tensor<4x8xf32>
    %175 = stablehlo.subtract %174, %141#0 : tensor<4x8xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %176 = stablehlo.reduce(%175 init: %cst_47) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_48 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %177 = stablehlo.divide %176, %cst_48 : tensor<f32>
    %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_50 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %178 = stablehlo.divide %cst_49, %cst_50 : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %180 = stablehlo.negate %179 : tensor<4x8xf32>
    %181 = stablehlo.divide %179, %170 : tensor<4x8xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %183 = stablehlo.select %172, %182, %181 : tensor<4x8xi1>, tensor<4x8xf32>
    %184 = stablehlo.select %172, %181, %182 : tensor<4x8xi1>, tensor<4x8xf32>
    %185 = stablehlo.negate %183 : tensor<4x8xf32>
    %186 = stablehlo.add %184, %185 : tensor<4x8xf32>
    %187 = stablehlo.broadcast_in_dim %186, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x32xf32>
    %188 = stablehlo.multiply %187, %167 : tensor<4x8x32xf32>
    %189 = call @_take_2(%141#1, %180) : (tensor<1xi32>, tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %190 = call @take_along_axis_3(%140#1, %189) : (tensor<4x8x1x1xi32>, tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
    %191 = stablehlo.add %188, %190 : tensor<4x8x32xf32>
    %192 = stablehlo.dot_general %191, %136, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
    %193 = stablehlo.transpose %192, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %194 = stablehlo.dot_general %191, %arg0, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x32xf32>, tensor<16x32xf32>) -> tensor<4x8x16xf32>
    %195 = stablehlo.multiply %133, %194 : tensor<4x8x16xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %196 = stablehlo.reduce(%195 init: %cst_52) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %197 = stablehlo.reshape %196 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %198 = stablehlo.broadcast_in_dim %134, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<4x8x16xf32>
    %199 = stablehlo.multiply %194, %198 : tensor<4x8x16xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %200 = stablehlo.reduce(%197 init: %cst_53) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %201 = stablehlo.multiply %124, %199 : tensor<4x8x16xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %202 = stablehlo.reduce(%201 init: %cst_54) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %203 = stablehlo.reshape %202 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %204 = stablehlo.broadcast_in_dim %128, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %205 = stablehlo.multiply %199, %204 : tensor<4x8x16xf32>
    %206 = stablehlo.multiply %203, %131 : tensor<4x8x1xf32>
    %207 = call @_var_4(%125#1, %125#2, %125#3, %125#4, %206) : (tensor<4x8x16xf32>, tensor<f32>, tensor<i1>, tensor<4x8x1xf32>, tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %208 = stablehlo.negate %205 : tensor<4x8x16xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %209 = stablehlo.reduce(%208 init: %cst_55) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %210 = stablehlo.reshape %209 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %211 = stablehlo.add %207, %205 : tensor<4x8x16xf32>
    %cst_56 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %212 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %213 = stablehlo.divide %210, %212 : tensor<4x8x1xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %214 = stablehlo.reduce(%213 init: %cst_57) applies stablehlo.add across dimensions = [2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8xf32>
    %215 = stablehlo.broadcast_in_dim %214, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x16xf32>
    %216 = stablehlo.add %211, %215 : tensor<4x8x16xf32>
    %217 = stablehlo.dot_general %216, %116, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x64xf32>) -> tensor<16x64xf32>
    %218 = stablehlo.transpose %217, dims = [1, 0] : (tensor<16x64xf32>) -> tensor<64x16xf32>
    %219 = stablehlo.dot_general %216, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<64x16xf32>) -> tensor<4x8x64xf32>
    %220 = stablehlo.multiply %98, %219 : tensor<4x8x64xf32>
    %221 = stablehlo.multiply %219, %115 : tensor<4x8x64xf32>
    %cst_58 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %222 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %223 = stablehlo.multiply %222, %220 : tensor<4x8x64xf32>
    %224 = stablehlo.multiply %223, %111 : tensor<4x8x64xf32>
    %225 = stablehlo.multiply %224, %109 : tensor<4x8x64xf32>
    %226 = stablehlo.add %224, %225 : tensor<4x8x64xf32>
    %cst_59 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %228 = stablehlo.multiply %227, %226 : tensor<4x8x64xf32>
    %229 = stablehlo.add %221, %228 : tensor<4x8x64xf32>
    %cst_60 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<4x8x64xf32>
    %231 = stablehlo.multiply %230, %228 : tensor<4x8x64xf32>
    %232 = stablehlo.multiply %231, %103 : tensor<4x8x64xf32>
    %233 = stablehlo.add %229, %232 : tensor<4x8x64xf32>
    %234 = stablehlo.dot_general %233, %97, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x64xf32>, tensor<4x8x16xf32>) -> tensor<64x16xf32>
    %235 = stablehlo.transpose %234, dims = [1, 0] : (tensor<64x16xf32>) -> tensor<16x64xf32>
    %236 = stablehlo.dot_general %233, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x64xf32>, tensor<16x64xf32>) -> tensor<4x8x16xf32>
    %237 = stablehlo.multiply %94, %236 : tensor<4x8x16xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.reduce(%237 init: %cst_61) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %239 = stablehlo.reshape %238 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %240 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<4x8x16xf32>
    %241 = stablehlo.multiply %236, %240 : tensor<4x8x16xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %242 = stablehlo.reduce(%239 init: %cst_62) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %243 = stablehlo.multiply %85, %241 : tensor<4x8x16xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %244 = stablehlo.reduce(%243 init: %cst_63) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %245 = stablehlo.reshape %244 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %246 = stablehlo.broadcast_in_dim %89, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %247 = stablehlo.multiply %241, %246 : tensor<4x8x16xf32>
    %248 = stablehlo.multiply %245, %92 : tensor<4x8x1xf32>
    %249 = call @_var_4(%86#1, %86#2, %86#3, %86#4, %248) : (tensor<4x8x16xf32>, tensor<f32>, tensor<i1>, tensor<4x8x1xf32>, tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %250 = stablehlo.add %216, %249 : tensor<4x8x16xf32>
    %251 = stablehlo.negate %247 : tensor<4x8x16xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %252 = stablehlo.reduce(%251 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %253 = stablehlo.reshape %252 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %254 = stablehlo.add %250, %247 : tensor<4x8x16xf32>
    %cst_65 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %255 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %256 = stablehlo.divide %253, %255 : tensor<4x8x1xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %257 = stablehlo.reduce(%256 init: %cst_66) applies stablehlo.add across dimensions = [2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8xf32>
    %258 = stablehlo.broadcast_in_dim %257, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x16xf32>
    %259 = stablehlo.add %254, %258 : tensor<4x8x16xf32>
    %260 = stablehlo.dot_general %259, %77, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<16x16xf32>
    %261 = stablehlo.transpose %260, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %262 = stablehlo.dot_general %259, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x16xf32>) -> tensor<4x8x16xf32>
    %263 = stablehlo.reshape %262 : (tensor<4x8x16xf32>) -> tensor<4x8x4x4xf32>
    %264 = stablehlo.transpose %263, dims = [0, 2, 1, 3] : (tensor<4x8x4x4xf32>) -> tensor<4x4x8x4xf32>
    %265 = stablehlo.dot_general %264, %71, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x4xf32>, tensor<4x4x8x8xf32>) -> tensor<4x4x4x8xf32>
    %266 = stablehlo.transpose %265, dims = [0, 1, 3, 2] : (tensor<4x4x4x8xf32>) -> tensor<4x4x8x4xf32>
    %267 = stablehlo.dot_general %264, %38, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x4xf32>, tensor<4x4x8x4xf32>) -> tensor<4x4x8x8xf32>
    %268 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2, 3] : (tensor<4x4x8x1xf32>) -> tensor<4x4x8x8xf32>
    %269 = stablehlo.multiply %267, %268 : tensor<4x4x8x8xf32>
    %270 = stablehlo.multiply %269, %67 : tensor<4x4x8x8xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %271 = stablehlo.reduce(%270 init: %cst_67) applies stablehlo.add across dimensions = [3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4x4x8xf32>
    %272 = stablehlo.reshape %271 : (tensor<4x4x8xf32>) -> tensor<4x4x8x1xf32>
    %273 = stablehlo.negate %272 : tensor<4x4x8x1xf32>
    %274 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2, 3] : (tensor<4x4x8x1xf32>) -> tensor<4x4x8x8xf32>
    %275 = stablehlo.divide %267, %274 : tensor<4x4x8x8xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %276 = stablehlo.reduce(%273 init: %cst_68) applies stablehlo.add across dimensions = [3] : (tensor<4x4x8x1xf32>, tensor<f32>) -> tensor<4x4x8xf32>
    %277 = stablehlo.broadcast_in_dim %276, dims = [0, 1, 2] : (tensor<4x4x8xf32>) -> tensor<4x4x8x8xf32>
    %278 = stablehlo.add %275, %277 : tensor<4x4x8x8xf32>
    %279 = stablehlo.multiply %278, %67 : tensor<4x4x8x8xf32>
    %280 = call @_where_6(%45#1, %45#2, %279) : (tensor<4x4x8x8xi1>, tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>
    %cst_69 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %281 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<4x4x8x8xf32>
    %282 = stablehlo.divide %280, %281 : tensor<4x4x8x8xf32>
    %283 = stablehlo.dot_general %282, %32, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x8xf32>, tensor<4x4x8x4xf32>) -> tensor<4x4x8x4xf32>
    %284 = stablehlo.transpose %283, dims = [0, 1, 3, 2] : (tensor<4x4x8x4xf32>) -> tensor<4x4x4x8xf32>
    %285 = stablehlo.dot_general %282, %39, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x4x8x8xf32>, tensor<4x4x4x8xf32>) -> tensor<4x4x8x4xf32>
    %286 = stablehlo.transpose %284, dims = [0, 1, 3, 2] : (tensor<4x4x4x8xf32>) -> tensor<4x4x8x4xf32>
    %287 = stablehlo.transpose %266, dims = [0, 2, 1, 3] : (tensor<4x4x8x4xf32>) -> tensor<4x8x4x4xf32>
    %288 = stablehlo.reshape %287 : (tensor<4x8x4x4xf32>) -> tensor<4x8x16xf32>
    %289 = stablehlo.dot_general %288, %29, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<16x16xf32>
    %290 = stablehlo.transpose %289, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %291 = stablehlo.dot_general %288, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x16xf32>) -> tensor<4x8x16xf32>
    %292 = stablehlo.transpose %286, dims = [0, 2, 1, 3] : (tensor<4x4x8x4xf32>) -> tensor<4x8x4x4xf32>
    %293 = stablehlo.reshape %292 : (tensor<4x8x4x4xf32>) -> tensor<4x8x16xf32>
    %294 = stablehlo.dot_general %293, %29, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<16x16xf32>
    %295 = stablehlo.transpose %294, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %296 = stablehlo.dot_general %293, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x16xf32>) -> tensor<4x8x16xf32>
    %297 = stablehlo.add %291, %296 : tensor<4x8x16xf32>
    %298 = stablehlo.transpose %285, dims = [0, 2, 1, 3] : (tensor<4x4x8x4xf32>) -> tensor<4x8x4x4xf32>
    %299 = stablehlo.reshape %298 : (tensor<4x8x4x4xf32>) -> tensor<4x8x16xf32>
    %300 = stablehlo.dot_general %299, %29, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<16x16xf32>
    %301 = stablehlo.transpose %300, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %302 = stablehlo.dot_general %299, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x16xf32>, tensor<16x16xf32>) -> tensor<4x8x16xf32>
    %303 = stablehlo.add %297, %302 : tensor<4x8x16xf32>
    %304 = stablehlo.multiply %26, %303 : tensor<4x8x16xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %305 = stablehlo.reduce(%304 init: %cst_70) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %306 = stablehlo.reshape %305 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %307 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<4x8x16xf32>
    %308 = stablehlo.multiply %303, %307 : tensor<4x8x16xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %309 = stablehlo.reduce(%306 init: %cst_71) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %310 = stablehlo.multiply %17, %308 : tensor<4x8x16xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %311 = stablehlo.reduce(%310 init: %cst_72) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %312 = stablehlo.reshape %311 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %313 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %314 = stablehlo.multiply %308, %313 : tensor<4x8x16xf32>
    %315 = stablehlo.multiply %312, %24 : tensor<4x8x1xf32>
    %316 = call @_var_4(%18#1, %18#2, %18#3, %18#4, %315) : (tensor<4x8x16xf32>, tensor<f32>, tensor<i1>, tensor<4x8x1xf32>, tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %317 = stablehlo.add %259, %316 : tensor<4x8x16xf32>
    %318 = stablehlo.negate %314 : tensor<4x8x16xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %319 = stablehlo.reduce(%318 init: %cst_73) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %320 = stablehlo.reshape %319 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %321 = stablehlo.add %317, %314 : tensor<4x8x16xf32>
    %cst_74 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %322 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %323 = stablehlo.divide %320, %322 : tensor<4x8x1xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %324 = stablehlo.reduce(%323 init: %cst_75) applies stablehlo.add across dimensions = [2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8xf32>
    %325 = stablehlo.broadcast_in_dim %324, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x16xf32>
    %326 = stablehlo.add %321, %325 : tensor<4x8x16xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %327 = stablehlo.reduce(%326 init: %cst_76) applies stablehlo.add across dimensions = [0] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    %328 = stablehlo.reshape %327 : (tensor<8x16xf32>) -> tensor<1x8x16xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %329 = stablehlo.reduce(%328 init: %cst_77) applies stablehlo.add across dimensions = [0] : (tensor<1x8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %330 = stablehlo.pad %329, %cst_78, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<9x16xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %331 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %332 = "stablehlo.scatter"(%331, %6, %326) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg38: tensor<f32>, %arg39: tensor<f32>):
      %632 = stablehlo.add %arg38, %arg39 : tensor<f32>
      stablehlo.return %632 : tensor<f32>
    }) : (tensor<32x16xf32>, tensor<4x8x1xi32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
    %cst_80 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %333 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %334 = stablehlo.multiply %333, %193 : tensor<16x32xf32>
    %cst_81 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %335 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %336 = stablehlo.multiply %335, %arg13 : tensor<16x32xf32>
    %337 = stablehlo.add %334, %336 : tensor<16x32xf32>
    %cst_82 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %338 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %339 = stablehlo.multiply %338, %218 : tensor<64x16xf32>
    %cst_83 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %340 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %341 = stablehlo.multiply %340, %arg14 : tensor<64x16xf32>
    %342 = stablehlo.add %339, %341 : tensor<64x16xf32>
    %cst_84 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %343 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %344 = stablehlo.multiply %343, %295 : tensor<16x16xf32>
    %cst_85 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %345 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %346 = stablehlo.multiply %345, %arg15 : tensor<16x16xf32>
    %347 = stablehlo.add %344, %346 : tensor<16x16xf32>
    %cst_86 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %348 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %349 = stablehlo.multiply %348, %309 : tensor<16xf32>
    %cst_87 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %350 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %351 = stablehlo.multiply %350, %arg16 : tensor<16xf32>
    %352 = stablehlo.add %349, %351 : tensor<16xf32>
    %cst_88 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %353 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %354 = stablehlo.multiply %353, %242 : tensor<16xf32>
    %cst_89 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %355 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %356 = stablehlo.multiply %355, %arg17 : tensor<16xf32>
    %357 = stablehlo.add %354, %356 : tensor<16xf32>
    %cst_90 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %358 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %359 = stablehlo.multiply %358, %261 : tensor<16x16xf32>
    %cst_91 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %360 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %361 = stablehlo.multiply %360, %arg18 : tensor<16x16xf32>
    %362 = stablehlo.add %359, %361 : tensor<16x16xf32>
    %cst_92 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %363 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %364 = stablehlo.multiply %363, %301 : tensor<16x16xf32>
    %cst_93 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %365 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %366 = stablehlo.multiply %365, %arg19 : tensor<16x16xf32>
    %367 = stablehlo.add %364, %366 : tensor<16x16xf32>
    %cst_94 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %368 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %369 = stablehlo.multiply %368, %235 : tensor<16x64xf32>
    %cst_95 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %370 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %371 = stablehlo.multiply %370, %arg20 : tensor<16x64xf32>
    %372 = stablehlo.add %369, %371 : tensor<16x64xf32>
    %cst_96 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %373 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %374 = stablehlo.multiply %373, %290 : tensor<16x16xf32>
    %cst_97 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %375 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %376 = stablehlo.multiply %375, %arg21 : tensor<16x16xf32>
    %377 = stablehlo.add %374, %376 : tensor<16x16xf32>
    %cst_98 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %378 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %379 = stablehlo.multiply %378, %200 : tensor<16xf32>
    %cst_99 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %380 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %381 = stablehlo.multiply %380, %arg22 : tensor<16xf32>
    %382 = stablehlo.add %379, %381 : tensor<16xf32>
    %cst_100 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %383 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<9x16xf32>
    %384 = stablehlo.multiply %383, %330 : tensor<9x16xf32>
    %cst_101 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %385 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<9x16xf32>
    %386 = stablehlo.multiply %385, %arg23 : tensor<9x16xf32>
    %387 = stablehlo.add %384, %386 : tensor<9x16xf32>
    %cst_102 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %388 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %389 = stablehlo.multiply %388, %332 : tensor<32x16xf32>
    %cst_103 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %390 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %391 = stablehlo.multiply %390, %arg24 : tensor<32x16xf32>
    %392 = stablehlo.add %389, %391 : tensor<32x16xf32>
    %393 = stablehlo.multiply %193, %193 : tensor<16x32xf32>
    %cst_104 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %394 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %395 = stablehlo.multiply %394, %393 : tensor<16x32xf32>
    %cst_105 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %396 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %397 = stablehlo.multiply %396, %arg25 : tensor<16x32xf32>
    %398 = stablehlo.add %395, %397 : tensor<16x32xf32>
    %399 = stablehlo.multiply %218, %218 : tensor<64x16xf32>
    %cst_106 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %400 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %401 = stablehlo.multiply %400, %399 : tensor<64x16xf32>
    %cst_107 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %402 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %403 = stablehlo.multiply %402, %arg26 : tensor<64x16xf32>
    %404 = stablehlo.add %401, %403 : tensor<64x16xf32>
    %405 = stablehlo.multiply %295, %295 : tensor<16x16xf32>
    %cst_108 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %406 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %407 = stablehlo.multiply %406, %405 : tensor<16x16xf32>
    %cst_109 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %408 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %409 = stablehlo.multiply %408, %arg27 : tensor<16x16xf32>
    %410 = stablehlo.add %407, %409 : tensor<16x16xf32>
    %411 = stablehlo.multiply %309, %309 : tensor<16xf32>
    %cst_110 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %412 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %413 = stablehlo.multiply %412, %411 : tensor<16xf32>
    %cst_111 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %414 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %415 = stablehlo.multiply %414, %arg28 : tensor<16xf32>
    %416 = stablehlo.add %413, %415 : tensor<16xf32>
    %417 = stablehlo.multiply %242, %242 : tensor<16xf32>
    %cst_112 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %418 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %419 = stablehlo.multiply %418, %417 : tensor<16xf32>
    %cst_113 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %420 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %421 = stablehlo.multiply %420, %arg29 : tensor<16xf32>
    %422 = stablehlo.add %419, %421 : tensor<16xf32>
    %423 = stablehlo.multiply %261, %261 : tensor<16x16xf32>
    %cst_114 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %424 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %425 = stablehlo.multiply %424, %423 : tensor<16x16xf32>
    %cst_115 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %426 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %427 = stablehlo.multiply %426, %arg30 : tensor<16x16xf32>
    %428 = stablehlo.add %425, %427 : tensor<16x16xf32>
    %429 = stablehlo.multiply %301, %301 : tensor<16x16xf32>
    %cst_116 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %430 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %431 = stablehlo.multiply %430, %429 : tensor<16x16xf32>
    %cst_117 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %432 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %433 = stablehlo.multiply %432, %arg31 : tensor<16x16xf32>
    %434 = stablehlo.add %431, %433 : tensor<16x16xf32>
    %435 = stablehlo.multiply %235, %235 : tensor<16x64xf32>
    %cst_118 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %436 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %437 = stablehlo.multiply %436, %435 : tensor<16x64xf32>
    %cst_119 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %438 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %439 = stablehlo.multiply %438, %arg32 : tensor<16x64xf32>
    %440 = stablehlo.add %437, %439 : tensor<16x64xf32>
    %441 = stablehlo.multiply %290, %290 : tensor<16x16xf32>
    %cst_120 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %442 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %443 = stablehlo.multiply %442, %441 : tensor<16x16xf32>
    %cst_121 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %444 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %445 = stablehlo.multiply %444, %arg33 : tensor<16x16xf32>
    %446 = stablehlo.add %443, %445 : tensor<16x16xf32>
    %447 = stablehlo.multiply %200, %200 : tensor<16xf32>
    %cst_122 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %448 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %449 = stablehlo.multiply %448, %447 : tensor<16xf32>
    %cst_123 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %450 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %451 = stablehlo.multiply %450, %arg34 : tensor<16xf32>
    %452 = stablehlo.add %449, %451 : tensor<16xf32>
    %453 = stablehlo.multiply %330, %330 : tensor<9x16xf32>
    %cst_124 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %454 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<9x16xf32>
    %455 = stablehlo.multiply %454, %453 : tensor<9x16xf32>
    %cst_125 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %456 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<9x16xf32>
    %457 = stablehlo.multiply %456, %arg35 : tensor<9x16xf32>
    %458 = stablehlo.add %455, %457 : tensor<9x16xf32>
    %459 = stablehlo.multiply %332, %332 : tensor<32x16xf32>
    %cst_126 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %460 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %461 = stablehlo.multiply %460, %459 : tensor<32x16xf32>
    %cst_127 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %462 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %463 = stablehlo.multiply %462, %arg36 : tensor<32x16xf32>
    %464 = stablehlo.add %461, %463 : tensor<32x16xf32>
    %c_128 = stablehlo.constant dense<2147483647> : tensor<i32>
    %465 = stablehlo.compare LT, %arg12, %c_128, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_129 = stablehlo.constant dense<1> : tensor<i32>
    %466 = stablehlo.add %arg12, %c_129 : tensor<i32>
    %c_130 = stablehlo.constant dense<2147483647> : tensor<i32>
    %467 = call @_where_7(%465, %466, %c_130) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %468 = stablehlo.convert %467 : (tensor<i32>) -> tensor<f32>
    %cst_131 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %469 = stablehlo.convert %467 : (tensor<i32>) -> tensor<f32>
    %470 = stablehlo.power %cst_131, %469 : tensor<f32>
    %cst_132 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %471 = stablehlo.subtract %cst_132, %470 : tensor<f32>
    %472 = stablehlo.broadcast_in_dim %471, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %473 = stablehlo.divide %337, %472 : tensor<16x32xf32>
    %474 = stablehlo.broadcast_in_dim %471, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %475 = stablehlo.divide %342, %474 : tensor<64x16xf32>
    %476 = stablehlo.broadcast_in_dim %471, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %477 = stablehlo.divide %347, %476 : tensor<16x16xf32>
    %478 = stablehlo.broadcast_in_dim %471, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %479 = stablehlo.divide %352, %478 : tensor<16xf32>
    %480 = stablehlo.broadcast_in_dim %471, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %481 = stablehlo.divide %357, %480 : tensor<16xf32>
    %482 = stablehlo.broadcast_in_dim %471, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %483 = stablehlo.divide %362, %482 : tensor<16x16xf32>
    %484 = stablehlo.broadcast_in_dim %471, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %485 = stablehlo.divide %367, %484 : tensor<16x16xf32>
    %486 = stablehlo.broadcast_in_dim %471, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %487 = stablehlo.divide %372, %486 : tensor<16x64xf32>
    %488 = stablehlo.broadcast_in_dim %471, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %489 = stablehlo.divide %377, %488 : tensor<16x16xf32>
    %490 = stablehlo.broadcast_in_dim %471, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %491 = stablehlo.divide %382, %490 : tensor<16xf32>
    %492 = stablehlo.broadcast_in_dim %471, dims = [] : (tensor<f32>) -> tensor<9x16xf32>
    %493 = stablehlo.divide %387, %492 : tensor<9x16xf32>
    %494 = stablehlo.broadcast_in_dim %471, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %495 = stablehlo.divide %392, %494 : tensor<32x16xf32>
    %496 = stablehlo.convert %467 : (tensor<i32>) -> tensor<f32>
    %cst_133 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %497 = stablehlo.convert %467 : (tensor<i32>) -> tensor<f32>
    %498 = stablehlo.power %cst_133, %497 : tensor<f32>
    %cst_134 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %499 = stablehlo.subtract %cst_134, %498 : tensor<f32>
    %500 = stablehlo.broadcast_in_dim %499, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %501 = stablehlo.divide %398, %500 : tensor<16x32xf32>
    %502 = stablehlo.broadcast_in_dim %499, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %503 = stablehlo.divide %404, %502 : tensor<64x16xf32>
    %504 = stablehlo.broadcast_in_dim %499, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %505 = stablehlo.divide %410, %504 : tensor<16x16xf32>
    %506 = stablehlo.broadcast_in_dim %499, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %507 = stablehlo.divide %416, %506 : tensor<16xf32>
    %508 = stablehlo.broadcast_in_dim %499, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %509 = stablehlo.divide %422, %508 : tensor<16xf32>
    %510 = stablehlo.broadcast_in_dim %499, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %511 = stablehlo.divide %428, %510 : tensor<16x16xf32>
    %512 = stablehlo.broadcast_in_dim %499, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %513 = stablehlo.divide %434, %512 : tensor<16x16xf32>
    %514 = stablehlo.broadcast_in_dim %499, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %515 = stablehlo.divide %440, %514 : tensor<16x64xf32>
    %516 = stablehlo.broadcast_in_dim %499, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %517 = stablehlo.divide %446, %516 : tensor<16x16xf32>
    %518 = stablehlo.broadcast_in_dim %499, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %519 = stablehlo.divide %452, %518 : tensor<16xf32>
    %520 = stablehlo.broadcast_in_dim %499, dims = [] : (tensor<f32>) -> tensor<9x16xf32>
    %521 = stablehlo.divide %458, %520 : tensor<9x16xf32>
    %522 = stablehlo.broadcast_in_dim %499, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %523 = stablehlo.divide %464, %522 : tensor<32x16xf32>
    %cst_135 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %524 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %525 = stablehlo.add %501, %524 : tensor<16x32xf32>
    %526 = stablehlo.sqrt %525 : tensor<16x32xf32>
    %cst_136 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %527 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %528 = stablehlo.add %526, %527 : tensor<16x32xf32>
    %529 = stablehlo.divide %473, %528 : tensor<16x32xf32>
    %cst_137 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %530 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %531 = stablehlo.add %503, %530 : tensor<64x16xf32>
    %532 = stablehlo.sqrt %531 : tensor<64x16xf32>
    %cst_138 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %533 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %534 = stablehlo.add %532, %533 : tensor<64x16xf32>
    %535 = stablehlo.divide %475, %534 : tensor<64x16xf32>
    %cst_139 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %536 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %537 = stablehlo.add %505, %536 : tensor<16x16xf32>
    %538 = stablehlo.sqrt %537 : tensor<16x16xf32>
    %cst_140 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %539 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %540 = stablehlo.add %538, %539 : tensor<16x16xf32>
    %541 = stablehlo.divide %477, %540 : tensor<16x16xf32>
    %cst_141 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %542 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %543 = stablehlo.add %507, %542 : tensor<16xf32>
    %544 = stablehlo.sqrt %543 : tensor<16xf32>
    %cst_142 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %545 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %546 = stablehlo.add %544, %545 : tensor<16xf32>
    %547 = stablehlo.divide %479, %546 : tensor<16xf32>
    %cst_143 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %548 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %549 = stablehlo.add %509, %548 : tensor<16xf32>
    %550 = stablehlo.sqrt %549 : tensor<16xf32>
    %cst_144 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %551 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %552 = stablehlo.add %550, %551 : tensor<16xf32>
    %553 = stablehlo.divide %481, %552 : tensor<16xf32>
    %cst_145 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %554 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %555 = stablehlo.add %511, %554 : tensor<16x16xf32>
    %556 = stablehlo.sqrt %555 : tensor<16x16xf32>
    %cst_146 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %557 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %558 = stablehlo.add %556, %557 : tensor<16x16xf32>
    %559 = stablehlo.divide %483, %558 : tensor<16x16xf32>
    %cst_147 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %560 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %561 = stablehlo.add %513, %560 : tensor<16x16xf32>
    %562 = stablehlo.sqrt %561 : tensor<16x16xf32>
    %cst_148 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %563 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %564 = stablehlo.add %562, %563 : tensor<16x16xf32>
    %565 = stablehlo.divide %485, %564 : tensor<16x16xf32>
    %cst_149 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %566 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %567 = stablehlo.add %515, %566 : tensor<16x64xf32>
    %568 = stablehlo.sqrt %567 : tensor<16x64xf32>
    %cst_150 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %569 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %570 = stablehlo.add %568, %569 : tensor<16x64xf32>
    %571 = stablehlo.divide %487, %570 : tensor<16x64xf32>
    %cst_151 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %572 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %573 = stablehlo.add %517, %572 : tensor<16x16xf32>
    %574 = stablehlo.sqrt %573 : tensor<16x16xf32>
    %cst_152 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %575 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %576 = stablehlo.add %574, %575 : tensor<16x16xf32>
    %577 = stablehlo.divide %489, %576 : tensor<16x16xf32>
    %cst_153 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %578 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %579 = stablehlo.add %519, %578 : tensor<16xf32>
    %580 = stablehlo.sqrt %579 : tensor<16xf32>
    %cst_154 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %581 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %582 = stablehlo.add %580, %581 : tensor<16xf32>
    %583 = stablehlo.divide %491, %582 : tensor<16xf32>
    %cst_155 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %584 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<9x16xf32>
    %585 = stablehlo.add %521, %584 : tensor<9x16xf32>
    %586 = stablehlo.sqrt %585 : tensor<9x16xf32>
    %cst_156 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %587 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<9x16xf32>
    %588 = stablehlo.add %586, %587 : tensor<9x16xf32>
    %589 = stablehlo.divide %493, %588 : tensor<9x16xf32>
    %cst_157 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %590 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %591 = stablehlo.add %523, %590 : tensor<32x16xf32>
    %592 = stablehlo.sqrt %591 : tensor<32x16xf32>
    %cst_158 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %593 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %594 = stablehlo.add %592, %593 : tensor<32x16xf32>
    %595 = stablehlo.divide %495, %594 : tensor<32x16xf32>
    %cst_159 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %596 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %597 = stablehlo.multiply %596, %529 : tensor<16x32xf32>
    %cst_160 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %598 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %599 = stablehlo.multiply %598, %535 : tensor<64x16xf32>
    %cst_161 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %600 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %601 = stablehlo.multiply %600, %541 : tensor<16x16xf32>
    %cst_162 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %602 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %603 = stablehlo.multiply %602, %547 : tensor<16xf32>
    %cst_163 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %604 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %605 = stablehlo.multiply %604, %553 : tensor<16xf32>
    %cst_164 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %606 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %607 = stablehlo.multiply %606, %559 : tensor<16x16xf32>
    %cst_165 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %608 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %609 = stablehlo.multiply %608, %565 : tensor<16x16xf32>
    %cst_166 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %610 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %611 = stablehlo.multiply %610, %571 : tensor<16x64xf32>
    %cst_167 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %612 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %613 = stablehlo.multiply %612, %577 : tensor<16x16xf32>
    %cst_168 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %614 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %615 = stablehlo.multiply %614, %583 : tensor<16xf32>
    %cst_169 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %616 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<9x16xf32>
    %617 = stablehlo.multiply %616, %589 : tensor<9x16xf32>
    %cst_170 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %618 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %619 = stablehlo.multiply %618, %595 : tensor<32x16xf32>
    %620 = stablehlo.add %arg0, %597 : tensor<16x32xf32>
    %621 = stablehlo.add %arg1, %599 : tensor<64x16xf32>
    %622 = stablehlo.add %arg2, %601 : tensor<16x16xf32>
    %623 = stablehlo.add %arg3, %603 : tensor<16xf32>
    %624 = stablehlo.add %arg4, %605 : tensor<16xf32>
    %625 = stablehlo.add %arg5, %607 : tensor<16x16xf32>
    %626 = stablehlo.add %arg6, %609 : tensor<16x16xf32>
    %627 = stablehlo.add %arg7, %611 : tensor<16x64xf32>
    %628 = stablehlo.add %arg8, %613 : tensor<16x16xf32>
    %629 = stablehlo.add %arg9, %615 : tensor<16xf32>
    %630 = stablehlo.add %arg10, %617 : tensor<9x16xf32>
    %631 = stablehlo.add %arg11, %619 : tensor<32x16xf32>
    return %620, %621, %622, %623, %624, %625, %626, %627, %628, %629, %630, %631, %467, %337, %342, %347, %352, %357, %362, %367, %372, %377, %382, %387, %392, %398, %404, %410, %416, %422, %428, %434, %440, %446, %452, %458, %464, %177 : tensor<16x32xf32>, tensor<64x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x64xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<9x16xf32>, tensor<32x16xf32>, tensor<i32>, tensor<16x32xf32>, tensor<64x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x64xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<9x16xf32>, tensor<32x16xf32>, tensor<16x32xf32>, tensor<64x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x64xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<9x16xf32>, tensor<32x16xf32>, tensor<f32>
  }
  func.func private @_var(%arg0: tensor<4x8x16xf32>, %arg1: tensor<i32>) -> (tensor<4x8x1xf32>, tensor<4x8x16xf32>, tensor<f32>, tensor<i1>, tensor<4x8x1xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4x8x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x8x16xf32>
    %6 = chlo.square %5 : tensor<4x8x16xf32> -> tensor<4x8x16xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8x16xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<4x8x16xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<4x8x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16:2 = call @_where(%15, %14, %cst_5) : (tensor<i1>, tensor<4x8x1xf32>, tensor<f32>) -> (tensor<4x8x1xf32>, tensor<4x8x1xf32>)
    return %16#0, %8, %10, %15, %16#1 : tensor<4x8x1xf32>, tensor<4x8x16xf32>, tensor<f32>, tensor<i1>, tensor<4x8x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<4x8x1xf32>, %arg2: tensor<f32>) -> (tensor<4x8x1xf32>, tensor<4x8x1xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<4x8x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    return %2, %3 : tensor<4x8x1xf32>, tensor<4x8x1xf32>
  }
  func.func private @tril(%arg0: tensor<8x8xi1>) -> tensor<8x8xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<8x8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %2 = stablehlo.add %0, %1 : tensor<8x8xi32>
    %3 = stablehlo.iota dim = 1 : tensor<8x8xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<8x8xi1>, tensor<8x8xi1>
    return %6 : tensor<8x8xi1>
  }
  func.func private @_where_0(%arg0: tensor<8x8xi1>, %arg1: tensor<4x4x8x8xf32>, %arg2: tensor<f32>) -> (tensor<4x4x8x8xf32>, tensor<4x4x8x8xi1>, tensor<4x4x8x8xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<4x4x8x8xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x4x8x8xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x4x8x8xi1>, tensor<4x4x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4x8x8xf32>
    return %3, %1, %4 : tensor<4x4x8x8xf32>, tensor<4x4x8x8xi1>, tensor<4x4x8x8xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<4x8x32xf32>, %arg1: tensor<4x8x1xi32>) -> (tensor<4x8x1xf32>, tensor<4x8x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x8x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<4x8x1xi32>, tensor<4x8x1xi32>) -> tensor<4x8x1xi1>
    %c_0 = stablehlo.constant dense<32> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x8x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<4x8x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<4x8x1xi1>, tensor<4x8x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<4x8x1xi32>) -> tensor<4x8x1x1xi32>
    %c_1 = stablehlo.constant dense<31> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x8x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<4x8x1x1xi32>, tensor<4x8x1x1xi32>) -> tensor<4x8x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<4x8x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<4x8x1x1xi32>, tensor<4x8x1x1xi32>) -> tensor<4x8x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<4x8x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<4x8x1x1xi1>, tensor<i1>) -> tensor<4x8x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x8x32xf32>, tensor<4x8x1x1xi32>) -> tensor<4x8x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<4x8x1xi1>, tensor<4x8x1xf32>
    return %15, %5 : tensor<4x8x1xf32>, tensor<4x8x1x1xi32>
  }
  func.func private @_take(%arg0: tensor<4x8x1xf32>, %arg1: tensor<i32>) -> (tensor<4x8xf32>, tensor<1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = call @_where_1(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<1xi32>
    %4 = stablehlo.convert %3 : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %7 = stablehlo.compare LE, %4, %c_1, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %8 = stablehlo.and %6, %7 : tensor<1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.reduce(%8 init: %c_3) applies stablehlo.and across dimensions = [0] : (tensor<1xi1>, tensor<i1>) -> tensor<i1>
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2]>, indices_are_sorted = false, slice_sizes = array<i64: 4, 8, 1>}> : (tensor<4x8x1xf32>, tensor<1xi32>) -> tensor<4x8xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<4x8xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<4x8xi1>, tensor<4x8xf32>
    return %13, %3 : tensor<4x8xf32>, tensor<1xi32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_2(%arg0: tensor<1xi32>, %arg1: tensor<4x8xf32>) -> tensor<4x8x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x8x1xf32>, tensor<1xi32>, tensor<4x8xf32>) -> tensor<4x8x1xf32>
    return %1 : tensor<4x8x1xf32>
  }
  func.func private @take_along_axis_3(%arg0: tensor<4x8x1x1xi32>, %arg1: tensor<4x8x1xf32>) -> tensor<4x8x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x32xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x8x32xf32>, tensor<4x8x1x1xi32>, tensor<4x8x1xf32>) -> tensor<4x8x32xf32>
    return %1 : tensor<4x8x32xf32>
  }
  func.func private @_var_4(%arg0: tensor<4x8x16xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<4x8x1xf32>, %arg4: tensor<4x8x1xf32>) -> tensor<4x8x16xf32> {
    %0 = call @_where_5(%arg2, %arg3, %arg4) : (tensor<i1>, tensor<4x8x1xf32>, tensor<4x8x1xf32>) -> tensor<4x8x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %2 = stablehlo.divide %0, %1 : tensor<4x8x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x16xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<4x8x16xf32>
    %6 = stablehlo.negate %5 : tensor<4x8x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8xf32>
    %8 = stablehlo.reshape %7 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<4x8x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<4x8x1xf32>, tensor<f32>) -> tensor<4x8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x16xf32>
    %13 = stablehlo.add %5, %12 : tensor<4x8x16xf32>
    return %13 : tensor<4x8x16xf32>
  }
  func.func private @_where_5(%arg0: tensor<i1>, %arg1: tensor<4x8x1xf32>, %arg2: tensor<4x8x1xf32>) -> tensor<4x8x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x1xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<i1>, tensor<4x8x1xf32>
    return %1 : tensor<4x8x1xf32>
  }
  func.func private @_where_6(%arg0: tensor<4x4x8x8xi1>, %arg1: tensor<4x4x8x8xf32>, %arg2: tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4x8x8xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<4x4x8x8xi1>, tensor<4x4x8x8xf32>
    return %1 : tensor<4x4x8x8xf32>
  }
  func.func private @_where_7(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
