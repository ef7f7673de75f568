module @jit_mlp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32x7xf32>, %arg3: tensor<7xf32>, %arg4: tensor<6x12xf32>) -> (tensor<6x7xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12xf32>, tensor<12x32xf32>) -> tensor<6x32xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<6x32xf32>
    %3 = stablehlo.add %0, %2 : tensor<6x32xf32>
    %4 = call @relu(%3) : (tensor<6x32xf32>) -> tensor<6x32xf32>
    %5 = stablehlo.dot_general %4, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x32xf32>, tensor<32x7xf32>) -> tensor<6x7xf32>
    %6 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<7xf32>) -> tensor<1x7xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x7xf32>) -> tensor<6x7xf32>
    %8 = stablehlo.add %5, %7 : tensor<6x7xf32>
    %9 = call @log_softmax(%8) : (tensor<6x7xf32>) -> tensor<6x7xf32>
    return %9 : tensor<6x7xf32>
  }
  func.func private @relu(%arg0: tensor<6x32xf32>) -> tensor<6x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x32xf32>
    return %1 : tensor<6x32xf32>
  }
  func.func private @log_softmax(%arg0: tensor<6x7xf32>) -> tensor<6x7xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<6x7xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<6xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x7xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<6x7xf32>
    %6 = stablehlo.exponential %5 : tensor<6x7xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<6x7xf32>, tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %9 = stablehlo.log %8 : tensor<6x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x7xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<6x7xf32>
    return %11 : tensor<6x7xf32>
  }
}
