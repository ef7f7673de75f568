/* value_rows_window.c - values of windows, random numbers and more maps. */
#include <stddef.h>

#include "tests/value_rows.h"

const value_row value_rows_window[] = {
    {"tan", "const x : f64[a] = {0, 1}\ny = tan(x) : f64[a]\n"
            "const want : f64[a] = {0.0, 1.5574077246549023}\n"},
    {"asin", "const x : f64[a] = {0, 1}\ny = asin(x) : f64[a]\n"
             "const want : f64[a] = {0.0, 1.5707963267948966}\n"},
    {"acos", "const x : f64[a] = {1, 0}\ny = acos(x) : f64[a]\n"
             "const want : f64[a] = {0.0, 1.5707963267948966}\n"},
    {"atan", "const x : f64[a] = {0, 1}\ny = atan(x) : f64[a]\n"
             "const want : f64[a] = {0.0, 0.7853981633974483}\n"},
    {"sinh", "const x : f64[a] = {0, 1}\ny = sinh(x) : f64[a]\n"
             "const want : f64[a] = {0.0, 1.1752011936438014}\n"},
    {"cosh", "const x : f64[a] = {0, 1}\ny = cosh(x) : f64[a]\n"
             "const want : f64[a] = {1.0, 1.5430806348152437}\n"},
    {"asinh", "const x : f64[a] = {0, 1}\ny = asinh(x) : f64[a]\n"
              "const want : f64[a] = {0.0, 0.881373587019543}\n"},
    {"acosh", "const x : f64[a] = {1, 2}\ny = acosh(x) : f64[a]\n"
              "const want : f64[a] = {0.0, 1.3169578969248166}\n"},
    {"atanh", "const x : f64[a] = {0, 0.5}\ny = atanh(x) : f64[a]\n"
              "const want : f64[a] = {0.0, 0.5493061443340548}\n"},
    {"log1p", "const x : f64[a] = {0, 1e-17}\ny = log1p(x) : f64[a]\n"
              "const want : f64[a] = {0.0, 1e-17}\n"},
    {"expm1", "const x : f64[a] = {0, 1e-17}\ny = expm1(x) : f64[a]\n"
              "const want : f64[a] = {0.0, 1e-17}\n"},
    {"erfc", "const x : f64[a] = {0, 6}\ny = erfc(x) : f64[a]\n"
             "const want : f64[a] = {1.0, 2.1519736712498916e-17}\n"},
    {"rem has the sign of the dividend",
     "const x : i64[e] = {7, -7, 7, -7, 5, -9223372036854775808}\n"
     "const v : i64[e] = {3, 3, -3, -3, 0, -1}\ny = rem(x, v) : i64[e]\n"
     "const want : i64[e] = {1, -1, 1, -1, 0, 0}\n"},
    {"rem of floats",
     "const x : f64[c] = {5.5, -5.5, 5.5, -5.5}\n"
     "const v : f64[c] = {2, 2, -2, inf}\ny = rem(x, v) : f64[c]\n"
     "const want : f64[c] = {1.5, -1.5, 1.5, -5.5}\n"},
    {"is_inf", "const x : f32[c] = {nan, inf, 0, -inf}\n"
               "y = is_inf(x) : bool[c]\nconst want : bool[c] = {0, 1, 0, "
               "1}\n"},
    {"random_uniform of one value",
     "const s : i64[] = {5}\ny = random_uniform(s, low=2, high=2) : f32[a]\n"
     "const want : f32[a] = {2, 2}\n"},
    {"random_normal without deviation",
     "const s : i64[] = {5}\ny = random_normal(s, mean=3, scale=0) : f64[a]\n"
     "const want : f64[a] = {3, 3}\n"},
    {"random_bernoulli that is sure",
     "const s : i64[] = {5}\ny = random_bernoulli(s, p=1) : bool[b]\n"
     "const want : bool[b] = {1, 1, 1}\n"},
    {"random_bernoulli that never is",
     "const s : i64[] = {5}\ny = random_bernoulli(s, p=0) : f32[b]\n"
     "const want : f32[b] = {0, 0, 0}\n"},
    {"conv_fused: a window's sum, factor, summand, another's element, bounds",
     "const x : f64[e, a] = {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60}\n"
     "const k : f64[a, b] = {1, 1, 1, 0, 1, 0}\n"
     "const s : f64[a] = {2, 1}\nconst h : f64[a] = {-20, 0.5}\n"
     "const r : f64[e, a] = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}\n"
     "y = conv_fused(x, k, s, h, r, strides=[1], dilations=[1], "
     "pads_begin=[1], pads_end=[1], in_axes=[0], tap_axes=[1], out_axes=[0], "
     "with=\"scale shift add\", low=0, high=50) : f64[e, a]\n"
     "const want : f64[e, a] = {0, 10.5, 0, 20.5, 0, 30.5, 5, 40.5, 11, 50, 3, "
     "50}\n"},
    {"pool_max",
     "const x : f32[d] = {3, 1, 4, 1, 5}\ny = pool_max(x, kernel=[2], "
     "strides=[2], dilations=[1], pads_begin=[1], pads_end=[0], in_axes=[0], "
     "out_axes=[0]) : f32[b]\nconst want : f32[b] = {3, 4, 5}\n"},
    {"pool_max keeps NaN",
     "const x : f32[d] = {3, nan, 4, 1, 5}\ny = pool_max(x, kernel=[2], "
     "strides=[2], dilations=[1], pads_begin=[1], pads_end=[0], in_axes=[0], "
     "out_axes=[0]) : f32[b]\nconst want : f32[b] = {3, nan, 5}\n"},
    {"pool_sum",
     "const x : i8[d] = {3, 1, 4, 1, 5}\ny = pool_sum(x, kernel=[2], "
     "strides=[2], dilations=[1], pads_begin=[1], pads_end=[0], in_axes=[0], "
     "out_axes=[0]) : i8[b]\nconst want : i8[b] = {3, 5, 6}\n"},
    {"pool_average leaves pads out",
     "const x : f32[d] = {3, 1, 4, 1, 5}\ny = pool_average(x, kernel=[2], "
     "strides=[2], dilations=[1], pads_begin=[1], pads_end=[0], in_axes=[0], "
     "out_axes=[0]) : f32[b]\nconst want : f32[b] = {3, 2.5, 3}\n"},
    {"pool_average counts pads",
     "const x : f32[d] = {3, 1, 4, 1, 5}\ny = pool_average(x, kernel=[2], "
     "strides=[2], dilations=[1], pads_begin=[1], pads_end=[0], in_axes=[0], "
     "out_axes=[0], count_pads=1) : f32[b]\nconst want : f32[b] = {1.5, 2.5, "
     "3}\n"},
    {"pool_average of a window past the end",
     "const x : f32[d] = {3, 1, 4, 1, 5}\ny = pool_average(x, kernel=[2], "
     "strides=[2], dilations=[1], pads_begin=[0], pads_end=[0], ceil=1, "
     "in_axes=[0], out_axes=[0], count_pads=1) : f32[b]\nconst want : f32[b] = "
     "{2, 2.5, 5}\n"},
    {"pool_max in two dims",
     "const x : i32[a, b] = {1, 5, 2, 7, 3, 4}\ny = pool_max(x, kernel=[2, 2], "
     "strides=[1, 1], dilations=[1, 1], pads_begin=[0, 0], pads_end=[0, 0], "
     "in_axes=[0, 1], out_axes=[-1, 0]) : i32[a2]\nconst want : i32[a2] = {7, "
     "5}\n"},
    {"pool_max with dilation",
     "const x : i32[d] = {1, 5, 2, 7, 3}\ny = pool_max(x, kernel=[2], "
     "strides=[1], dilations=[3], pads_begin=[0], pads_end=[0], in_axes=[0], "
     "out_axes=[0]) : i32[a]\nconst want : i32[a] = {7, 5}\n"},
    {"pool_max_grad goes to the first greatest",
     "const x : f32[d] = {3, 4, 4, 1, 5}\nconst g : f32[b] = {10, 20, 30}\ny = "
     "pool_max_grad(x, g, kernel=[3], strides=[1], dilations=[1], "
     "pads_begin=[0], pads_end=[0], in_axes=[0], out_axes=[0]) : f32[d]\nconst "
     "want : f32[d] = {0, 30, 0, 0, 30}\n"},
    {"pool_sum_grad",
     "const g : i8[b] = {10, 20, 30}\ny = pool_sum_grad(g, kernel=[3], "
     "strides=[1], dilations=[1], pads_begin=[0], pads_end=[0], in_axes=[0], "
     "out_axes=[0]) : i8[d]\nconst want : i8[d] = {10, 30, 60, 50, 30}\n"},
    {"pool_average_grad",
     "const g : f32[b] = {10, 20, 30}\ny = pool_average_grad(g, kernel=[2], "
     "strides=[2], dilations=[1], pads_begin=[1], pads_end=[0], in_axes=[0], "
     "out_axes=[0]) : f32[d]\nconst want : f32[d] = {10, 10, 10, 15, 15}\n"},
    {"conv_transpose",
     "const x : f32[b] = {1, 2, 3}\nconst w : f32[2] = {1, 10}\ny = "
     "conv_transpose(x, w, strides=[2], dilations=[1], pads_begin=[0], "
     "pads_end=[0], in_axes=[0], tap_axes=[0], out_axes=[0]) : f32[e]\nconst "
     "want : f32[e] = {1, 10, 2, 20, 3, 30}\n"},
    {"conv_transpose with dilation and pads",
     "const x : f32[b] = {1, 2, 3}\nconst w : f32[2] = {1, 10}\ny = "
     "conv_transpose(x, w, strides=[1], dilations=[2], pads_begin=[1], "
     "pads_end=[0], in_axes=[0], tap_axes=[0], out_axes=[0]) : f32[c]\nconst "
     "want : f32[c] = {2, 13, 20, 30}\n"},
    {"conv_transpose with more at its end",
     "const x : f32[a] = {1, 2}\nconst w : f32[2] = {1, 10}\ny = "
     "conv_transpose(x, w, strides=[2], dilations=[1], pads_begin=[0], "
     "pads_end=[0], in_axes=[0], tap_axes=[0], out_axes=[0]) : f32[d]\nconst "
     "want : f32[d] = {1, 10, 2, 20, 0}\n"},
    {"conv_weight_grad",
     "const x : f32[e] = {1, 2, 3, 4, 5, 6}\nconst g : f32[c] = {1, 0, 0, "
     "10}\ny = conv_weight_grad(x, g, strides=[1], dilations=[1], "
     "pads_begin=[0], pads_end=[0], in_axes=[0], out_axes=[0], tap_axes=[0]) : "
     "f32[3]\nconst want : f32[3] = {41, 52, 63}\n"},
    {"conv_weight_grad of channels and examples",
     "const x : f32[a, b] = {1, 2, 3, 10, 20, 30}\nconst g : f32[a, a2] = {1, "
     "2, 3, 4}\ny = conv_weight_grad(x, g, strides=[1], dilations=[1], "
     "pads_begin=[0], pads_end=[0], in_axes=[1], out_axes=[1], tap_axes=[0]) : "
     "f32[2]\nconst want : f32[2] = {115, 188}\n"},
    {NULL, NULL},
};
