module @jit_maps attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32>) -> (tensor<4x5xf32> {jax.result_info = "result[0]"}, tensor<4x5xf32> {jax.result_info = "result[1]"}, tensor<4x5xf32> {jax.result_info = "result[2]"}, tensor<4x5xf32> {jax.result_info = "result[3]"}, tensor<4x5xf32> {jax.result_info = "result[4]"}, tensor<4x5xf32> {jax.result_info = "result[5]"}, tensor<4x5xf32> {jax.result_info = "result[6]"}, tensor<4x5xf32> {jax.result_info = "result[7]"}, tensor<4x5xf32> {jax.result_info = "result[8]"}, tensor<4x5xi32> {jax.result_info = "result[9]"}, tensor<4x5xi1> {jax.result_info = "result[10]"}, tensor<4x5xf32> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.abs %arg0 : tensor<4x5xf32>
    %1 = stablehlo.log_plus_one %0 : tensor<4x5xf32>
    %2 = stablehlo.exponential_minus_one %arg0 : tensor<4x5xf32>
    %cst = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %4 = stablehlo.divide %arg0, %3 : tensor<4x5xf32>
    %5 = chlo.erf_inv %4 : tensor<4x5xf32> -> tensor<4x5xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %7 = stablehlo.multiply %6, %arg0 : tensor<4x5xf32>
    %8 = stablehlo.negate %arg0 : tensor<4x5xf32>
    %cst_1 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %10 = stablehlo.multiply %8, %9 : tensor<4x5xf32>
    %11 = chlo.erfc %10 : tensor<4x5xf32> -> tensor<4x5xf32>
    %12 = stablehlo.multiply %7, %11 : tensor<4x5xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %14 = stablehlo.add %arg0, %13 : tensor<4x5xf32>
    %15 = stablehlo.atan2 %arg0, %14 : tensor<4x5xf32>
    %16 = call @round(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %17 = stablehlo.multiply %arg0, %arg0 : tensor<4x5xf32>
    %18 = stablehlo.multiply %17, %arg0 : tensor<4x5xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %19 = call @remainder(%arg0, %cst_3) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    %20 = stablehlo.cbrt %arg0 : tensor<4x5xf32>
    %21 = stablehlo.convert %arg0 : (tensor<4x5xf32>) -> tensor<4x5xi32>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x5xi32>
    %23 = stablehlo.shift_left %21, %22 : tensor<4x5xi32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %25 = stablehlo.compare GT, %arg0, %24, FLOAT : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %27 = stablehlo.compare GT, %arg0, %26, FLOAT : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %28 = call @_where(%27, %arg0, %c_6) : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<i32>) -> tensor<4x5xf32>
    return %1, %2, %5, %12, %15, %16, %18, %19, %20, %23, %25, %28 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xi32>, tensor<4x5xi1>, tensor<4x5xf32>
  }
  func.func private @round(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
  func.func private @remainder(%arg0: tensor<4x5xf32>, %arg1: tensor<f32>) -> tensor<4x5xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<4x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %4 = stablehlo.compare NE, %2, %3, FLOAT : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %6 = stablehlo.compare LT, %2, %5, FLOAT : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare LT, %0, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<4x5xi1>
    %9 = stablehlo.compare NE, %6, %8, UNSIGNED : (tensor<4x5xi1>, tensor<4x5xi1>) -> tensor<4x5xi1>
    %10 = stablehlo.and %9, %4 : tensor<4x5xi1>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %12 = stablehlo.add %2, %11 : tensor<4x5xf32>
    %13 = stablehlo.select %10, %12, %2 : tensor<4x5xi1>, tensor<4x5xf32>
    return %13 : tensor<4x5xf32>
  }
  func.func private @_where(%arg0: tensor<4x5xi1>, %arg1: tensor<4x5xf32>, %arg2: tensor<i32>) -> tensor<4x5xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<4x5xi1>, tensor<4x5xf32>
    return %2 : tensor<4x5xf32>
  }
}
