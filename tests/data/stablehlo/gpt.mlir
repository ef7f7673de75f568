module @jit_gpt attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<40x64xf32>, %arg1: tensor<160x40xf32>, %arg2: tensor<40x40xf32>, %arg3: tensor<40xf32>, %arg4: tensor<40xf32>, %arg5: tensor<40x40xf32>, %arg6: tensor<40x40xf32>, %arg7: tensor<40x160xf32>, %arg8: tensor<40x40xf32>, %arg9: tensor<160x40xf32>, %arg10: tensor<40x40xf32>, %arg11: tensor<40xf32>, %arg12: tensor<40xf32>, %arg13: tensor<40x40xf32>, %arg14: tensor<40x40xf32>, %arg15: tensor<40x160xf32>, %arg16: tensor<40x40xf32>, %arg17: tensor<40xf32>, %arg18: tensor<12x40xf32>, %arg19: tensor<64x40xf32>, %arg20: tensor<4x12xi32>) -> (tensor<4x12x64xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x12xi32>
    %1 = stablehlo.compare LT, %arg20, %0, SIGNED : (tensor<4x12xi32>, tensor<4x12xi32>) -> tensor<4x12xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x12xi32>
    %3 = stablehlo.add %arg20, %2 : tensor<4x12xi32>
    %4 = stablehlo.select %1, %3, %arg20 : tensor<4x12xi1>, tensor<4x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<4x12xi32>) -> tensor<4x12x1xi32>
    %6 = "stablehlo.gather"(%arg19, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 40>}> : (tensor<64x40xf32>, tensor<4x12x1xi32>) -> tensor<4x12x40xf32>
    %7 = stablehlo.broadcast_in_dim %arg18, dims = [1, 2] : (tensor<12x40xf32>) -> tensor<1x12x40xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x12x40xf32>) -> tensor<4x12x40xf32>
    %9 = stablehlo.add %6, %8 : tensor<4x12x40xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x12x40xf32>, tensor<f32>) -> tensor<4x12xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<4x12xf32>) -> tensor<4x12x1xf32>
    %cst_1 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<4x12x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x40xf32>
    %15 = stablehlo.subtract %9, %14 : tensor<4x12x40xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %16 = call @_var(%9, %c_2) : (tensor<4x12x40xf32>, tensor<i32>) -> tensor<4x12x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %18 = stablehlo.add %16, %17 : tensor<4x12x1xf32>
    %19 = stablehlo.rsqrt %18 : tensor<4x12x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x40xf32>
    %21 = stablehlo.multiply %15, %20 : tensor<4x12x40xf32>
    %22 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<4x12x40xf32>
    %24 = stablehlo.multiply %21, %23 : tensor<4x12x40xf32>
    %25 = stablehlo.dot_general %24, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x40xf32>, tensor<40x40xf32>) -> tensor<4x12x40xf32>
    %26 = stablehlo.reshape %25 : (tensor<4x12x40xf32>) -> tensor<4x12x5x8xf32>
    %27 = stablehlo.transpose %26, dims = [0, 2, 1, 3] : (tensor<4x12x5x8xf32>) -> tensor<4x5x12x8xf32>
    %28 = stablehlo.dot_general %24, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x40xf32>, tensor<40x40xf32>) -> tensor<4x12x40xf32>
    %29 = stablehlo.reshape %28 : (tensor<4x12x40xf32>) -> tensor<4x12x5x8xf32>
    %30 = stablehlo.transpose %29, dims = [0, 2, 1, 3] : (tensor<4x12x5x8xf32>) -> tensor<4x5x12x8xf32>
    %31 = stablehlo.dot_general %24, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x40xf32>, tensor<40x40xf32>) -> tensor<4x12x40xf32>
    %32 = stablehlo.reshape %31 : (tensor<4x12x40xf32>) -> tensor<4x12x5x8xf32>
    %33 = stablehlo.transpose %32, dims = [0, 2, 1, 3] : (tensor<4x12x5x8xf32>) -> tensor<4x5x12x8xf32>
    %34 = stablehlo.transpose %30, dims = [0, 1, 3, 2] : (tensor<4x5x12x8xf32>) -> tensor<4x5x8x12xf32>
    %35 = stablehlo.dot_general %27, %34, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x5x12x8xf32>, tensor<4x5x8x12xf32>) -> tensor<4x5x12x12xf32>
    %cst_4 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x5x12x12xf32>
    %37 = stablehlo.divide %35, %36 : tensor<4x5x12x12xf32>
    %c_5 = stablehlo.constant dense<true> : tensor<i1>
    %38 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %39 = call @tril(%38) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %cst_6 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %40 = call @_where_0(%39, %37, %cst_6) : (tensor<12x12xi1>, tensor<4x5x12x12xf32>, tensor<f32>) -> tensor<4x5x12x12xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %41 = stablehlo.reduce(%40 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<4x5x12x12xf32>, tensor<f32>) -> tensor<4x5x12xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x5x12xf32>
    %43 = stablehlo.maximum %42, %41 : tensor<4x5x12xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<4x5x12xf32>) -> tensor<4x5x12x1xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2, 3] : (tensor<4x5x12x1xf32>) -> tensor<4x5x12x12xf32>
    %46 = stablehlo.subtract %40, %45 : tensor<4x5x12x12xf32>
    %47 = stablehlo.exponential %46 : tensor<4x5x12x12xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<4x5x12x12xf32>, tensor<f32>) -> tensor<4x5x12xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<4x5x12xf32>) -> tensor<4x5x12x1xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2, 3] : (tensor<4x5x12x1xf32>) -> tensor<4x5x12x12xf32>
    %51 = stablehlo.divide %47, %50 : tensor<4x5x12x12xf32>
    %52 = stablehlo.dot_general %51, %33, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x5x12x12xf32>, tensor<4x5x12x8xf32>) -> tensor<4x5x12x8xf32>
    %53 = stablehlo.transpose %52, dims = [0, 2, 1, 3] : (tensor<4x5x12x8xf32>) -> tensor<4x12x5x8xf32>
    %54 = stablehlo.reshape %53 : (tensor<4x12x5x8xf32>) -> tensor<4x12x40xf32>
    %55 = stablehlo.dot_general %54, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x40xf32>, tensor<40x40xf32>) -> tensor<4x12x40xf32>
    %56 = stablehlo.add %9, %55 : tensor<4x12x40xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%56 init: %cst_10) applies stablehlo.add across dimensions = [2] : (tensor<4x12x40xf32>, tensor<f32>) -> tensor<4x12xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1] : (tensor<4x12xf32>) -> tensor<4x12x1xf32>
    %cst_11 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %60 = stablehlo.divide %58, %59 : tensor<4x12x1xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x40xf32>
    %62 = stablehlo.subtract %56, %61 : tensor<4x12x40xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %63 = call @_var(%56, %c_12) : (tensor<4x12x40xf32>, tensor<i32>) -> tensor<4x12x1xf32>
    %cst_13 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %65 = stablehlo.add %63, %64 : tensor<4x12x1xf32>
    %66 = stablehlo.rsqrt %65 : tensor<4x12x1xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x40xf32>
    %68 = stablehlo.multiply %62, %67 : tensor<4x12x40xf32>
    %69 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<4x12x40xf32>
    %71 = stablehlo.multiply %68, %70 : tensor<4x12x40xf32>
    %72 = stablehlo.dot_general %71, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x40xf32>, tensor<40x160xf32>) -> tensor<4x12x160xf32>
    %73 = stablehlo.multiply %72, %72 : tensor<4x12x160xf32>
    %74 = stablehlo.multiply %73, %72 : tensor<4x12x160xf32>
    %cst_14 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x12x160xf32>
    %76 = stablehlo.multiply %75, %74 : tensor<4x12x160xf32>
    %77 = stablehlo.add %72, %76 : tensor<4x12x160xf32>
    %cst_15 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x12x160xf32>
    %79 = stablehlo.multiply %78, %77 : tensor<4x12x160xf32>
    %80 = stablehlo.tanh %79 : tensor<4x12x160xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x12x160xf32>
    %82 = stablehlo.add %81, %80 : tensor<4x12x160xf32>
    %cst_17 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x12x160xf32>
    %84 = stablehlo.multiply %83, %82 : tensor<4x12x160xf32>
    %85 = stablehlo.multiply %72, %84 : tensor<4x12x160xf32>
    %86 = stablehlo.dot_general %85, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x160xf32>, tensor<160x40xf32>) -> tensor<4x12x40xf32>
    %87 = stablehlo.add %56, %86 : tensor<4x12x40xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%87 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<4x12x40xf32>, tensor<f32>) -> tensor<4x12xf32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1] : (tensor<4x12xf32>) -> tensor<4x12x1xf32>
    %cst_19 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %91 = stablehlo.divide %89, %90 : tensor<4x12x1xf32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x40xf32>
    %93 = stablehlo.subtract %87, %92 : tensor<4x12x40xf32>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %94 = call @_var(%87, %c_20) : (tensor<4x12x40xf32>, tensor<i32>) -> tensor<4x12x1xf32>
    %cst_21 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %96 = stablehlo.add %94, %95 : tensor<4x12x1xf32>
    %97 = stablehlo.rsqrt %96 : tensor<4x12x1xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x40xf32>
    %99 = stablehlo.multiply %93, %98 : tensor<4x12x40xf32>
    %100 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<4x12x40xf32>
    %102 = stablehlo.multiply %99, %101 : tensor<4x12x40xf32>
    %103 = stablehlo.dot_general %102, %arg14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x40xf32>, tensor<40x40xf32>) -> tensor<4x12x40xf32>
    %104 = stablehlo.reshape %103 : (tensor<4x12x40xf32>) -> tensor<4x12x5x8xf32>
    %105 = stablehlo.transpose %104, dims = [0, 2, 1, 3] : (tensor<4x12x5x8xf32>) -> tensor<4x5x12x8xf32>
    %106 = stablehlo.dot_general %102, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x40xf32>, tensor<40x40xf32>) -> tensor<4x12x40xf32>
    %107 = stablehlo.reshape %106 : (tensor<4x12x40xf32>) -> tensor<4x12x5x8xf32>
    %108 = stablehlo.transpose %107, dims = [0, 2, 1, 3] : (tensor<4x12x5x8xf32>) -> tensor<4x5x12x8xf32>
    %109 = stablehlo.dot_general %102, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x40xf32>, tensor<40x40xf32>) -> tensor<4x12x40xf32>
    %110 = stablehlo.reshape %109 : (tensor<4x12x40xf32>) -> tensor<4x12x5x8xf32>
    %111 = stablehlo.transpose %110, dims = [0, 2, 1, 3] : (tensor<4x12x5x8xf32>) -> tensor<4x5x12x8xf32>
    %112 = stablehlo.transpose %108, dims = [0, 1, 3, 2] : (tensor<4x5x12x8xf32>) -> tensor<4x5x8x12xf32>
    %113 = stablehlo.dot_general %105, %112, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x5x12x8xf32>, tensor<4x5x8x12xf32>) -> tensor<4x5x12x12xf32>
    %cst_22 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4x5x12x12xf32>
    %115 = stablehlo.divide %113, %114 : tensor<4x5x12x12xf32>
    %c_23 = stablehlo.constant dense<true> : tensor<i1>
    %116 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %117 = call @tril(%116) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %cst_24 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %118 = call @_where_0(%117, %115, %cst_24) : (tensor<12x12xi1>, tensor<4x5x12x12xf32>, tensor<f32>) -> tensor<4x5x12x12xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %119 = stablehlo.reduce(%118 init: %cst_25) applies stablehlo.maximum across dimensions = [3] : (tensor<4x5x12x12xf32>, tensor<f32>) -> tensor<4x5x12xf32>
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4x5x12xf32>
    %121 = stablehlo.maximum %120, %119 : tensor<4x5x12xf32>
    %122 = stablehlo.broadcast_in_dim %121, dims = [0, 1, 2] : (tensor<4x5x12xf32>) -> tensor<4x5x12x1xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1, 2, 3] : (tensor<4x5x12x1xf32>) -> tensor<4x5x12x12xf32>
    %124 = stablehlo.subtract %118, %123 : tensor<4x5x12x12xf32>
    %125 = stablehlo.exponential %124 : tensor<4x5x12x12xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %126 = stablehlo.reduce(%125 init: %cst_27) applies stablehlo.add across dimensions = [3] : (tensor<4x5x12x12xf32>, tensor<f32>) -> tensor<4x5x12xf32>
    %127 = stablehlo.broadcast_in_dim %126, dims = [0, 1, 2] : (tensor<4x5x12xf32>) -> tensor<4x5x12x1xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2, 3] : (tensor<4x5x12x1xf32>) -> tensor<4x5x12x12xf32>
    %129 = stablehlo.divide %125, %128 : tensor<4x5x12x12xf32>
    %130 = stablehlo.dot_general %129, %111, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x5x12x12xf32>, tensor<4x5x12x8xf32>) -> tensor<4x5x12x8xf32>
    %131 = stablehlo.transpose %130, dims = [0, 2, 1, 3] : (tensor<4x5x12x8xf32>) -> tensor<4x12x5x8xf32>
    %132 = stablehlo.reshape %131 : (tensor<4x12x5x8xf32>) -> tensor<4x12x40xf32>
    %133 = stablehlo.dot_general %132, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x40xf32>, tensor<40x40xf32>) -> tensor<4x12x40xf32>
    %134 = stablehlo.add %87, %133 : tensor<4x12x40xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %135 = stablehlo.reduce(%134 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<4x12x40xf32>, tensor<f32>) -> tensor<4x12xf32>
    %136 = stablehlo.broadcast_in_dim %135, dims = [0, 1] : (tensor<4x12xf32>) -> tensor<4x12x1xf32>
    %cst_29 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %138 = stablehlo.divide %136, %137 : tensor<4x12x1xf32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x40xf32>
    %140 = stablehlo.subtract %134, %139 : tensor<4x12x40xf32>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %141 = call @_var(%134, %c_30) : (tensor<4x12x40xf32>, tensor<i32>) -> tensor<4x12x1xf32>
    %cst_31 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %143 = stablehlo.add %141, %142 : tensor<4x12x1xf32>
    %144 = stablehlo.rsqrt %143 : tensor<4x12x1xf32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x40xf32>
    %146 = stablehlo.multiply %140, %145 : tensor<4x12x40xf32>
    %147 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %148 = stablehlo.broadcast_in_dim %147, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<4x12x40xf32>
    %149 = stablehlo.multiply %146, %148 : tensor<4x12x40xf32>
    %150 = stablehlo.dot_general %149, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x40xf32>, tensor<40x160xf32>) -> tensor<4x12x160xf32>
    %151 = stablehlo.multiply %150, %150 : tensor<4x12x160xf32>
    %152 = stablehlo.multiply %151, %150 : tensor<4x12x160xf32>
    %cst_32 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<4x12x160xf32>
    %154 = stablehlo.multiply %153, %152 : tensor<4x12x160xf32>
    %155 = stablehlo.add %150, %154 : tensor<4x12x160xf32>
    %cst_33 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<4x12x160xf32>
    %157 = stablehlo.multiply %156, %155 : tensor<4x12x160xf32>
    %158 = stablehlo.tanh %157 : tensor<4x12x160xf32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<4x12x160xf32>
    %160 = stablehlo.add %159, %158 : tensor<4x12x160xf32>
    %cst_35 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<4x12x160xf32>
    %162 = stablehlo.multiply %161, %160 : tensor<4x12x160xf32>
    %163 = stablehlo.multiply %150, %162 : tensor<4x12x160xf32>
    %164 = stablehlo.dot_general %163, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x160xf32>, tensor<160x40xf32>) -> tensor<4x12x40xf32>
    %165 = stablehlo.add %134, %164 : tensor<4x12x40xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %166 = stablehlo.reduce(%165 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<4x12x40xf32>, tensor<f32>) -> tensor<4x12xf32>
    %167 = stablehlo.broadcast_in_dim %166, dims = [0, 1] : (tensor<4x12xf32>) -> tensor<4x12x1xf32>
    %cst_37 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %169 = stablehlo.divide %167, %168 : tensor<4x12x1xf32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x40xf32>
    %171 = stablehlo.subtract %165, %170 : tensor<4x12x40xf32>
    %c_38 = stablehlo.constant dense<0> : tensor<i32>
    %172 = call @_var(%165, %c_38) : (tensor<4x12x40xf32>, tensor<i32>) -> tensor<4x12x1xf32>
    %cst_39 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %174 = stablehlo.add %172, %173 : tensor<4x12x1xf32>
    %175 = stablehlo.rsqrt %174 : tensor<4x12x1xf32>
    %176 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x40xf32>
    %177 = stablehlo.multiply %171, %176 : tensor<4x12x40xf32>
    %178 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<4x12x40xf32>
    %180 = stablehlo.multiply %177, %179 : tensor<4x12x40xf32>
    %181 = stablehlo.dot_general %180, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12x40xf32>, tensor<40x64xf32>) -> tensor<4x12x64xf32>
    return %181 : tensor<4x12x64xf32>
  }
  func.func private @_var(%arg0: tensor<4x12x40xf32>, %arg1: tensor<i32>) -> tensor<4x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x12x40xf32>, tensor<f32>) -> tensor<4x12xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<4x12xf32>) -> tensor<4x12x1xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4x12x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<4x12x1xf32>) -> tensor<4x12x40xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x12x40xf32>
    %6 = chlo.square %5 : tensor<4x12x40xf32> -> tensor<4x12x40xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<4x12x40xf32>, tensor<f32>) -> tensor<4x12xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<4x12xf32>) -> tensor<4x12x1xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<4x12x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<4x12x1xf32>, tensor<f32>) -> tensor<4x12x1xf32>
    return %14 : tensor<4x12x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<4x12x1xf32>, %arg2: tensor<f32>) -> tensor<4x12x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x12x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<4x12x1xf32>
    return %2 : tensor<4x12x1xf32>
  }
  func.func private @tril(%arg0: tensor<12x12xi1>) -> tensor<12x12xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %2 = stablehlo.add %0, %1 : tensor<12x12xi32>
    %3 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<12x12xi1>, tensor<12x12xi1>
    return %6 : tensor<12x12xi1>
  }
  func.func private @_where_0(%arg0: tensor<12x12xi1>, %arg1: tensor<4x5x12x12xf32>, %arg2: tensor<f32>) -> tensor<4x5x12x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<4x5x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x5x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x5x12x12xi1>, tensor<4x5x12x12xf32>
    return %3 : tensor<4x5x12x12xf32>
  }
}
