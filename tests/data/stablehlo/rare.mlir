module @jit_rare attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<11xf32>, %arg1: tensor<5x9xi32>, %arg2: tensor<5x9xi32>, %arg3: tensor<328xui16>, %arg4: tensor<4xui32>) -> (tensor<11xf32> {jax.result_info = "result[0]"}, tensor<8xf32> {jax.result_info = "result[1]"}, tensor<5x9xi32> {jax.result_info = "result[2][0]"}, tensor<5x9xi32> {jax.result_info = "result[2][1]"}, tensor<5x9xi32> {jax.result_info = "result[2][2]"}, tensor<5xi32> {jax.result_info = "result[3]"}, tensor<9xi32> {jax.result_info = "result[4]"}, tensor<i32> {jax.result_info = "result[5]"}, tensor<5xi1> {jax.result_info = "result[6]"}, tensor<328xf32> {jax.result_info = "result[7]"}, tensor<328xf32> {jax.result_info = "result[8]"}, tensor<328xui16> {jax.result_info = "result[9]"}, tensor<7xui8> {jax.result_info = "result[10]"}) {
    %0 = stablehlo.bitcast_convert %arg3 : (tensor<328xui16>) -> tensor<328xbf16>
    %1 = stablehlo.bitcast_convert %arg3 : (tensor<328xui16>) -> tensor<328xf16>
    %2 = chlo.lgamma %arg0 : tensor<11xf32> -> tensor<11xf32>
    %3 = stablehlo.slice %arg0 [3:11] : (tensor<11xf32>) -> tensor<8xf32>
    %4 = chlo.digamma %3 : tensor<8xf32> -> tensor<8xf32>
    %5 = stablehlo.iota dim = 0 : tensor<9xi32>
    %c = stablehlo.constant dense<10> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5x9xi32>
    %7 = stablehlo.multiply %arg2, %6 : tensor<5x9xi32>
    %8 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<9xi32>) -> tensor<1x9xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x9xi32>) -> tensor<5x9xi32>
    %10 = stablehlo.add %9, %7 : tensor<5x9xi32>
    %11:3 = "stablehlo.sort"(%arg1, %arg2, %10) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<i32>, %arg8: tensor<i32>, %arg9: tensor<i32>, %arg10: tensor<i32>):
      %25 = stablehlo.compare LT, %arg7, %arg8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %26 = stablehlo.compare LT, %arg5, %arg6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %27 = stablehlo.compare EQ, %arg5, %arg6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %28 = stablehlo.and %27, %25 : tensor<i1>
      %29 = stablehlo.or %26, %28 : tensor<i1>
      stablehlo.return %29 : tensor<i1>
    }) : (tensor<5x9xi32>, tensor<5x9xi32>, tensor<5x9xi32>) -> (tensor<5x9xi32>, tensor<5x9xi32>, tensor<5x9xi32>)
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.reduce(%arg1 init: %c_0) applies stablehlo.xor across dimensions = [1] : (tensor<5x9xi32>, tensor<i32>) -> tensor<5xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.reduce(%arg2 init: %c_1) applies stablehlo.or across dimensions = [0] : (tensor<5x9xi32>, tensor<i32>) -> tensor<9xi32>
    %c_2 = stablehlo.constant dense<-1> : tensor<i32>
    %14 = stablehlo.reduce(%arg1 init: %c_2) applies stablehlo.and across dimensions = [0, 1] : (tensor<5x9xi32>, tensor<i32>) -> tensor<i32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<5x9xi32>
    %16 = stablehlo.compare GT, %arg1, %15, SIGNED : (tensor<5x9xi32>, tensor<5x9xi32>) -> tensor<5x9xi1>
    %c_4 = stablehlo.constant dense<false> : tensor<i1>
    %17 = stablehlo.reduce(%16 init: %c_4) applies stablehlo.xor across dimensions = [1] : (tensor<5x9xi1>, tensor<i1>) -> tensor<5xi1>
    %18 = stablehlo.convert %0 : (tensor<328xbf16>) -> tensor<328xf32>
    %19 = stablehlo.convert %1 : (tensor<328xf16>) -> tensor<328xf32>
    %20 = stablehlo.bitcast_convert %0 : (tensor<328xbf16>) -> tensor<328xui16>
    %21 = stablehlo.reshape %arg4 : (tensor<4xui32>) -> tensor<2x2xui32>
    %22 = stablehlo.bitcast_convert %21 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %22, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui8>)
    %23 = stablehlo.bitcast_convert %output_state : (tensor<2xui64>) -> tensor<2x2xui32>
    %24 = stablehlo.reshape %23 : (tensor<2x2xui32>) -> tensor<4xui32>
    return %2, %4, %11#0, %11#1, %11#2, %12, %13, %14, %17, %18, %19, %20, %output : tensor<11xf32>, tensor<8xf32>, tensor<5x9xi32>, tensor<5x9xi32>, tensor<5x9xi32>, tensor<5xi32>, tensor<9xi32>, tensor<i32>, tensor<5xi1>, tensor<328xf32>, tensor<328xf32>, tensor<328xui16>, tensor<7xui8>
  }
}
