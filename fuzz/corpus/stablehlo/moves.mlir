module @jit_moves attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32>) -> (tensor<10x4xf32> {jax.result_info = "result[0]"}, tensor<4x3xf32> {jax.result_info = "result[1]"}, tensor<4x5xf32> {jax.result_info = "result[2]"}, tensor<8x5xf32> {jax.result_info = "result[3]"}, tensor<4x5xf32> {jax.result_info = "result[4]"}, tensor<4x10xf32> {jax.result_info = "result[5]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [1, -1], high = [2, 0], interior = [1, 0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<10x4xf32>
    %1 = stablehlo.slice %arg0 [0:4, 0:5:2] : (tensor<4x5xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.reverse %1, dims = [0] : tensor<4x3xf32>
    %3 = call @_roll_static(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %4 = stablehlo.reshape %arg0 : (tensor<4x5xf32>) -> tensor<1x4x1x5xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<1x4x1x5xf32>) -> tensor<2x4x1x5xf32>
    %6 = stablehlo.reshape %5 : (tensor<2x4x1x5xf32>) -> tensor<8x5xf32>
    %7 = call @triu(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %8 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x5xf32>) -> tensor<4x5x2xf32>
    %9 = stablehlo.reshape %8 : (tensor<4x5x2xf32>) -> tensor<4x10xf32>
    return %0, %2, %3, %6, %7, %9 : tensor<10x4xf32>, tensor<4x3xf32>, tensor<4x5xf32>, tensor<8x5xf32>, tensor<4x5xf32>, tensor<4x10xf32>
  }
  func.func private @_roll_static(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %0 = stablehlo.slice %arg0 [3:4, 0:5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
    %1 = stablehlo.slice %arg0 [0:3, 0:5] : (tensor<4x5xf32>) -> tensor<3x5xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x5xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    return %2 : tensor<4x5xf32>
  }
  func.func private @triu(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x5xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x5xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x5xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x5xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %6 = stablehlo.select %4, %5, %arg0 : tensor<4x5xi1>, tensor<4x5xf32>
    return %6 : tensor<4x5xf32>
  }
}
