/*
 * test_values.c - what ops compute, by hand: `y` of a text must hold what its
 * constant `want` says, and so must the parts that a reference kernel gives.
 */
#include <stdio.h>
#include <string.h>

#include "ir/eval.h"
#include "ir/text.h"
#include "tests/laws.h"
#include "tests/test.h"
#include "tests/value_rows.h"

#define DIMS                                                                   \
    "dim one = 1\ndim a = 2\ndim b = 3\ndim c = 4\ndim d = 5\ndim e = 6\n"     \
    "dim z = 0\n"

static const value_row rows[] = {
    {"add broadcasts by dim",
     "const x : f32[a, b] = {1, 2, 3, 4, 5, 6}\nconst v : f32[a] = {10, 20}\n"
     "y = add(x, v) : f32[a, b]\n"
     "const want : f32[a, b] = {11, 12, 13, 24, 25, 26}\n"},
    {"add wraps", "const x : i8[a] = {127, -128}\nconst v : i8[a] = {1, -1}\n"
                  "y = add(x, v) : i8[a]\nconst want : i8[a] = {-128, 127}\n"},
    {"sub of unsigned wraps",
     "const x : u32[a] = {0, 5}\nconst v : u32[a] = {1, 3}\n"
     "y = sub(x, v) : u32[a]\nconst want : u32[a] = {4294967295, 2}\n"},
    {"mul of 64 bits wraps",
     "const x : i64[a] = {4611686018427387904, 3}\n"
     "const v : i64[a] = {4, -3}\n"
     "y = mul(x, v) : i64[a]\nconst want : i64[a] = {0, -9}\n"},
    {"neg of unsigned wraps",
     "const x : u8[b] = {0, 1, 255}\ny = neg(x) : u8[b]\n"
     "const want : u8[b] = {0, 255, 1}\n"},
    {"div cuts towards zero, and by zero gives 0",
     "const x : i32[d] = {7, -7, 7, 5, -2147483648}\n"
     "const v : i32[d] = {2, 2, -2, 0, -1}\ny = div(x, v) : i32[d]\n"
     "const want : i32[d] = {3, -3, -3, 0, -2147483648}\n"},
    {"div of 64 bits at its end",
     "const x : i64[a] = {-9223372036854775808, 1}\n"
     "const v : i64[a] = {-1, 0}\ny = div(x, v) : i64[a]\n"
     "const want : i64[a] = {-9223372036854775808, 0}\n"},
    {"div of floats",
     "const x : f32[c] = {1, -1, 0, 3}\nconst v : f32[c] = {0, 0, 0, 2}\n"
     "y = div(x, v) : f32[c]\nconst want : f32[c] = {inf, -inf, nan, 1.5}\n"},
    {"mod has the sign of the divisor",
     "const x : i64[e] = {7, -7, 7, -7, 5, -9223372036854775808}\n"
     "const v : i64[e] = {3, 3, -3, -3, 0, -1}\ny = mod(x, v) : i64[e]\n"
     "const want : i64[e] = {1, 2, -2, -1, 0, 0}\n"},
    {"mod of floats",
     "const x : f64[c] = {5.5, -5.5, 5.5, -5.5}\n"
     "const v : f64[c] = {2, 2, -2, -2}\ny = mod(x, v) : f64[c]\n"
     "const want : f64[c] = {1.5, 0.5, -0.5, -1.5}\n"},
    {"pow of integers",
     "const x : i64[e] = {2, -3, 2, -1, -1, 0}\n"
     "const v : i64[e] = {10, 3, -1, -3, -4, -1}\ny = pow(x, v) : i64[e]\n"
     "const want : i64[e] = {1024, -27, 0, -1, 1, 0}\n"},
    {"max keeps NaN",
     "const x : f32[c] = {1, nan, 1, -inf}\n"
     "const v : f32[c] = {nan, 1, 2, 3}\n"
     "y = max(x, v) : f32[c]\nconst want : f32[c] = {nan, nan, 2, 3}\n"},
    {"min keeps NaN",
     "const x : f32[c] = {1, nan, 1, inf}\n"
     "const v : f32[c] = {nan, 1, 2, 3}\n"
     "y = min(x, v) : f32[c]\nconst want : f32[c] = {nan, nan, 1, 3}\n"},
    {"max of unsigned", "const x : u64[a] = {18446744073709551615, 1}\n"
                        "const v : u64[a] = {1, 2}\n"
                        "y = max(x, v) : u64[a]\n"
                        "const want : u64[a] = {18446744073709551615, 2}\n"},
    {"round to even",
     "const x : f32[e] = {0.5, 1.5, 2.5, -0.5, -1.5, 2.4}\n"
     "y = round(x) : f32[e]\nconst want : f32[e] = {0, 2, 2, 0, -2, 2}\n"},
    {"floor", "const x : f32[a] = {-1.5, 1.5}\ny = floor(x) : f32[a]\n"
              "const want : f32[a] = {-2, 1}\n"},
    {"ceil", "const x : f32[a] = {-1.5, 1.5}\ny = ceil(x) : f32[a]\n"
             "const want : f32[a] = {-1, 2}\n"},
    {"sign", "const x : f32[c] = {-2, 0, 3, nan}\ny = sign(x) : f32[c]\n"
             "const want : f32[c] = {-1, 0, 1, nan}\n"},
    {"sign of integers", "const x : i64[b] = {-2, 0, 3}\ny = sign(x) : i64[b]\n"
                         "const want : i64[b] = {-1, 0, 1}\n"},
    {"abs of the least integer",
     "const x : i8[b] = {-128, -1, 5}\ny = abs(x) : i8[b]\n"
     "const want : i8[b] = {-128, 1, 5}\n"},
    {"relu keeps NaN", "const x : f32[b] = {-1, nan, 2}\ny = relu(x) : f32[b]\n"
                       "const want : f32[b] = {0, nan, 2}\n"},
    {"sigmoid", "const x : f64[b] = {0, 1000, -1000}\ny = sigmoid(x) : f64[b]\n"
                "const want : f64[b] = {0.5, 1, 0}\n"},
    {"erf", "const x : f64[a] = {0, 0.5}\ny = erf(x) : f64[a]\n"
            "const want : f64[a] = {0, 0.52049987781304654}\n"},
    {"tanh", "const x : f64[a] = {0, 0.5}\ny = tanh(x) : f64[a]\n"
             "const want : f64[a] = {0, 0.46211715726000975}\n"},
    {"exp", "const x : f64[a] = {0, 1}\ny = exp(x) : f64[a]\n"
            "const want : f64[a] = {1, 2.7182818284590451}\n"},
    {"log", "const x : f64[b] = {1, 2.7182818284590451, 0}\n"
            "y = log(x) : f64[b]\nconst want : f64[b] = {0, 1, -inf}\n"},
    {"sqrt", "const x : f32[b] = {0, 9, -1}\ny = sqrt(x) : f32[b]\n"
             "const want : f32[b] = {0, 3, nan}\n"},
    {"reciprocal", "const x : f32[a] = {4, 0}\ny = reciprocal(x) : f32[a]\n"
                   "const want : f32[a] = {0.25, inf}\n"},
    {"sin", "const x : f64[a] = {0, 1}\ny = sin(x) : f64[a]\n"
            "const want : f64[a] = {0, 0.8414709848078965}\n"},
    {"cos", "const x : f64[a] = {0, 1}\ny = cos(x) : f64[a]\n"
            "const want : f64[a] = {1, 0.54030230586813977}\n"},
    {"not", "const x : bool[a] = {0, 1}\ny = not(x) : bool[a]\n"
            "const want : bool[a] = {1, 0}\n"},
    {"and", "const x : bool[c] = {0, 0, 1, 1}\n"
            "const v : bool[c] = {0, 1, 0, 1}\ny = and(x, v) : bool[c]\n"
            "const want : bool[c] = {0, 0, 0, 1}\n"},
    {"or", "const x : bool[c] = {0, 0, 1, 1}\n"
           "const v : bool[c] = {0, 1, 0, 1}\ny = or(x, v) : bool[c]\n"
           "const want : bool[c] = {0, 1, 1, 1}\n"},
    {"xor", "const x : bool[c] = {0, 0, 1, 1}\n"
            "const v : bool[c] = {0, 1, 0, 1}\ny = xor(x, v) : bool[c]\n"
            "const want : bool[c] = {0, 1, 1, 0}\n"},
    {"less of unsigned",
     "const x : u8[b] = {1, 255, 7}\nconst v : u8[b] = {255, 1, 7}\n"
     "y = less(x, v) : bool[b]\nconst want : bool[b] = {1, 0, 0}\n"},
    {"less_equal of NaN",
     "const x : f32[b] = {1, nan, 7}\nconst v : f32[b] = {2, 1, 7}\n"
     "y = less_equal(x, v) : bool[b]\nconst want : bool[b] = {1, 0, 1}\n"},
    {"greater of integers",
     "const x : i32[b] = {-1, 3, 7}\nconst v : i32[b] = {2, 1, 7}\n"
     "y = greater(x, v) : bool[b]\nconst want : bool[b] = {0, 1, 0}\n"},
    {"greater_equal",
     "const x : f32[b] = {-1, 3, 7}\nconst v : f32[b] = {2, 1, 7}\n"
     "y = greater_equal(x, v) : bool[b]\nconst want : bool[b] = {0, 1, 1}\n"},
    {"equal of bool",
     "const x : bool[a] = {0, 1}\nconst v : bool[a] = {0, 0}\n"
     "y = equal(x, v) : bool[a]\nconst want : bool[a] = {1, 0}\n"},
    {"is_nan", "const x : f32[b] = {nan, inf, 0}\ny = is_nan(x) : bool[b]\n"
               "const want : bool[b] = {1, 0, 0}\n"},
    {"where", "const k : bool[a] = {1, 0}\nconst x : f32[a] = {1, 2}\n"
              "const v : f32[a] = {nan, 4}\ny = where(k, x, v) : f32[a]\n"
              "const want : f32[a] = {1, 4}\n"},
    {"cast of floats holds to the range",
     "const x : f32[e] = {300, -300, 1.9, -1.9, nan, inf}\n"
     "y = cast(x, to=i8) : i8[e]\n"
     "const want : i8[e] = {127, -128, 1, -1, 0, 127}\n"},
    {"cast to 64 bits holds to the range",
     "const x : f64[b] = {1e30, -1e30, 9007199254740993}\n"
     "y = cast(x, to=i64) : i64[b]\n"
     "const want : i64[b] = {9223372036854775807, -9223372036854775808, "
     "9007199254740992}\n"},
    {"cast to unsigned",
     "const x : f64[b] = {-1, 18446744073709551615, 2.5}\n"
     "y = cast(x, to=u64) : u64[b]\n"
     "const want : u64[b] = {0, 18446744073709551615, 2}\n"},
    {"cast of integers wraps",
     "const x : i64[b] = {300, -1, 255}\ny = cast(x, to=u8) : u8[b]\n"
     "const want : u8[b] = {44, 255, 255}\n"},
    {"cast to bool",
     "const x : f32[c] = {0, 0.1, nan, -0}\ny = cast(x, to=bool) : bool[c]\n"
     "const want : bool[c] = {0, 1, 1, 0}\n"},
    {"cast to half",
     "const x : f32[e] = {65504, 65520, 1.00048828125, 5.9604645e-08, "
     "2.9802322e-08, 1.0014648}\ny = cast(x, to=f16) : f16[e]\n"
     "const want : f16[e] = {65504, inf, 1, 5.9604645e-08, 0, 1.0019531}\n"},
    {"cast from half", "const x : f16[c] = {0.5, -2, 6.1035156e-05, inf}\n"
                       "y = cast(x, to=f32) : f32[c]\n"
                       "const want : f32[c] = {0.5, -2, 6.1035156e-05, inf}\n"},
    {"cast to bf16 and back",
     "const x : f32[c] = {1.00390625, 1.01171875, 3e38, 3.4e38}\n"
     "h = cast(x, to=bf16) : bf16[c]\ny = cast(h, to=f32) : f32[c]\n"
     "const want : f32[c] = {1, 1.015625, 3.00405527047391e+38, inf}\n"},
    {"einsum contracts", "const x : f32[a, b] = {1, 2, 3, 4, 5, 6}\n"
                         "const w : f32[b, a2] = {1, 0, 0, 1, 1, 1}\n"
                         "y = einsum(x, w) : f32[a2, a]\nconst want : f32[a2, "
                         "a] = {4, 10, 5, 11}\n"},
    {"einsum over nothing is a product",
     "const x : f32[a] = {2, 3}\nconst w : f32[b] = {1, 10, 100}\n"
     "y = einsum(x, w) : f32[b, a]\n"
     "const want : f32[b, a] = {2, 3, 20, 30, 200, 300}\n"},
    {"einsum over an empty dim",
     "const x : f32[a, z] = {}\nconst w : f32[z, b] = {}\n"
     "y = einsum(x, w) : f32[a, b]\n"
     "const want : f32[a, b] = {0, 0, 0, 0, 0, 0}\n"},
    {"einsum of integers wraps",
     "const x : i32[a] = {65536, 1}\nconst w : i32[a] = {65536, 7}\n"
     "y = einsum(x, w) : i32[]\nconst want : i32[] = {7}\n"},
    {"reduce_sum", "const x : f32[a, b] = {1, 2, 3, 4, 5, 6}\n"
                   "y = reduce_sum(x) : f32[b]\n"
                   "const want : f32[b] = {5, 7, 9}\n"},
    {"reduce_sum to another order",
     "const x : i64[a, b, one] = {1, 2, 3, 4, 5, 6}\n"
     "y = reduce_sum(x) : i64[b, a]\n"
     "const want : i64[b, a] = {1, 4, 2, 5, 3, 6}\n"},
    {"reduce_max of nothing",
     "const x : f32[a, z] = {}\ny = reduce_max(x) : f32[a]\n"
     "const want : f32[a] = {-inf, -inf}\n"},
    {"reduce_max of no integers",
     "const x : i16[z] = {}\ny = reduce_max(x) : i16[]\n"
     "const want : i16[] = {-32768}\n"},
    {"reduce_min of nothing", "const x : u8[z] = {}\ny = reduce_min(x) : u8[]\n"
                              "const want : u8[] = {255}\n"},
    {"reduce_prod", "const x : f32[a, b] = {1, 2, 3, 4, 5, 6}\n"
                    "y = reduce_prod(x) : f32[a]\n"
                    "const want : f32[a] = {6, 120}\n"},
    {"reduce_prod of nothing",
     "const x : i64[z] = {}\ny = reduce_prod(x) : i64[]\n"
     "const want : i64[] = {1}\n"},
    {"reduce_max keeps NaN",
     "const x : f32[b] = {1, nan, 3}\ny = reduce_max(x) : f32[]\n"
     "const want : f32[] = {nan}\n"},
    {"reduce_max of bool is or",
     "const x : bool[a, b] = {0, 0, 0, 0, 1, 0}\n"
     "y = reduce_max(x) : bool[a]\nconst want : bool[a] = {0, 1}\n"},
    {"reduce_min of bool is and",
     "const x : bool[a, b] = {1, 1, 1, 0, 1, 1}\n"
     "y = reduce_min(x) : bool[a]\nconst want : bool[a] = {1, 0}\n"},
    {"transpose", "const x : i8[a, b] = {1, 2, 3, 4, 5, 6}\n"
                  "y = transpose(x) : i8[b, a]\n"
                  "const want : i8[b, a] = {1, 4, 2, 5, 3, 6}\n"},
    {"reshape", "const x : i8[a, b] = {1, 2, 3, 4, 5, 6}\n"
                "y = reshape(x) : i8[e]\n"
                "const want : i8[e] = {1, 2, 3, 4, 5, 6}\n"},
    {"rename", "const x : i8[a] = {1, 2}\ny = rename(x) : i8[a2]\n"
               "const want : i8[a2] = {1, 2}\n"},
    {"broadcast", "const x : i8[a] = {1, 2}\ny = broadcast(x) : i8[a, b]\n"
                  "const want : i8[a, b] = {1, 1, 1, 2, 2, 2}\n"},
    {"slice", "const x : i8[e] = {0, 1, 2, 3, 4, 5}\n"
              "y = slice(x, dim=e, start=1, step=2, count=3) : i8[b]\n"
              "const want : i8[b] = {1, 3, 5}\n"},
    {"slice backwards", "const x : i8[e] = {0, 1, 2, 3, 4, 5}\n"
                        "y = slice(x, dim=e, start=5, step=-2, count=3) : "
                        "i8[b]\nconst want : i8[b] = {5, 3, 1}\n"},
    {"slice of one", "const x : i8[a, b] = {0, 1, 2, 3, 4, 5}\n"
                     "y = slice(x, dim=b, start=1, step=1, count=1) : i8[a]\n"
                     "const want : i8[a] = {1, 4}\n"},
    {"slice of one with a huge step",
     "const x : i8[b] = {0, 1, 2}\ny = slice(x, dim=b, start=2, "
     "step=4611686018427387904, count=1) : i8[]\nconst want : i8[] = {2}\n"},
    {"slice of none", "const x : i8[b] = {0, 1, 2}\n"
                      "y = slice(x, dim=b, start=3, step=1, count=0) : i8[z]\n"
                      "const want : i8[z] = {}\n"},
    {"pad", "const x : f32[a] = {1, 2}\n"
            "y = pad(x, dim=d, before=2, after=1, value=-inf) : f32[d]\n"
            "const want : f32[d] = {-inf, -inf, 1, 2, -inf}\n"},
    {"pad of integers",
     "const x : i8[a] = {1, 2}\n"
     "y = pad(x, dim=c, before=0, after=2, value=7) : i8[c]\n"
     "const want : i8[c] = {1, 2, 7, 7}\n"},
    {"pad of one", "const x : i8[] = {5}\n"
                   "y = pad(x, dim=b, before=1, after=1) : i8[b]\n"
                   "const want : i8[b] = {0, 5, 0}\n"},
    {"concat", "const x : i8[a, a2] = {1, 2, 3, 4}\nconst v : i8[a] = {5, 6}\n"
               "y = concat(x, v, dim=b) : i8[a, b]\n"
               "const want : i8[a, b] = {1, 2, 5, 3, 4, 6}\n"},
    {"concat with an empty part",
     "const x : i8[a] = {1, 2}\nconst n : i8[z] = {}\nconst v : i8[] = {5}\n"
     "y = concat(x, n, v, dim=b) : i8[b]\nconst want : i8[b] = {1, 2, 5}\n"},
    {"gather", "const t : f32[b, a] = {1, 2, 3, 4, 5, 6}\n"
               "const i : i64[c] = {2, -3, -1, 1}\n"
               "y = gather(t, i, dim=b) : f32[c, a]\n"
               "const want : f32[c, a] = {5, 6, 1, 2, 5, 6, 3, 4}\n"},
    {"iota", "y = iota(dim=b) : i64[b]\nconst want : i64[b] = {0, 1, 2}\n"},
    {"gather outside the table gives 0",
     "const t : i8[b] = {1, 2, 3}\nconst i : i64[c] = {3, -4, "
     "9223372036854775807, -9223372036854775808}\n"
     "y = gather(t, i, dim=b) : i8[c]\nconst want : i8[c] = {0, 0, 0, 0}\n"},
    {"gather by one index", "const t : i8[a, b] = {1, 2, 3, 4, 5, 6}\n"
                            "const i : i32[] = {-1}\n"
                            "y = gather(t, i, dim=b) : i8[a]\n"
                            "const want : i8[a] = {3, 6}\n"},
    {"gather by unsigned 64 bits",
     "const t : i8[b] = {1, 2, 3}\n"
     "const i : u64[a] = {2, 18446744073709551615}\n"
     "y = gather(t, i, dim=b) : i8[a]\nconst want : i8[a] = {3, 0}\n"},
    {"gather in batches", "const t : i8[a, b] = {1, 2, 3, 4, 5, 6}\n"
                          "const i : i8[a] = {0, 2}\n"
                          "y = gather(t, i, dim=b) : i8[a]\n"
                          "const want : i8[a] = {1, 6}\n"},
    {"conv slides", "const x : f32[e] = {1, 2, 3, 4, 5, 6}\n"
                    "const w : f32[3] = {1, 10, 100}\n"
                    "y = conv(x, w, strides=[1], dilations=[1], "
                    "pads_begin=[0], pads_end=[0], in_axes=[0], "
                    "tap_axes=[0], out_axes=[0]) : f32[c]\n"
                    "const want : f32[c] = {321, 432, 543, 654}\n"},
    {"conv with stride, dilation and pads",
     "const x : f32[d] = {1, 2, 3, 4, 5}\nconst w : f32[2] = {1, 10}\n"
     "y = conv(x, w, strides=[2], dilations=[3], pads_begin=[2], "
     "pads_end=[1], in_axes=[0], tap_axes=[0], out_axes=[0]) : f32[b]\n"
     "const want : f32[b] = {20, 41, 3}\n"},
    {"conv of channels",
     "const x : f32[a, b] = {1, 2, 3, 10, 20, 30}\n"
     "const w : f32[a2, a] = {1, 1, 2, 0}\n"
     "y = conv(x, w, strides=[2], dilations=[1], pads_begin=[0], "
     "pads_end=[0], in_axes=[1], tap_axes=[-1], out_axes=[1]) : f32[a2, a3]\n"
     "const want : f32[a2, a3] = {11, 33, 2, 6}\n"},
    {"conv of groups",
     "const x : f32[a, b] = {1, 2, 3, 10, 20, 30}\n"
     "const w : f32[a, 2] = {1, 1, 2, 0}\n"
     "y = conv(x, w, strides=[1], dilations=[1], pads_begin=[0], "
     "pads_end=[0], in_axes=[1], tap_axes=[1], out_axes=[1]) : f32[a, a2]\n"
     "const want : f32[a, a2] = {3, 5, 20, 40}\n"},
    {"conv in two dims",
     "const x : f32[b, c] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}\n"
     "const w : f32[2, 3] = {1, 0, 0, 0, 0, 1}\n"
     "y = conv(x, w, strides=[1, 1], dilations=[1, 1], pads_begin=[0, 0], "
     "pads_end=[0, 0], in_axes=[0, 1], tap_axes=[0, 1], out_axes=[0, 1]) : "
     "f32[a, a2]\nconst want : f32[a, a2] = {8, 10, 16, 18}\n"},
    {"conv of one value in padding",
     "const x : f32[] = {5}\nconst w : f32[3] = {1, 10, 100}\n"
     "y = conv(x, w, strides=[1], dilations=[1], pads_begin=[2], "
     "pads_end=[2], in_axes=[-1], tap_axes=[0], out_axes=[0]) : f32[b]\n"
     "const want : f32[b] = {500, 50, 5}\n"},
    {"conv down to one value",
     "const x : f32[c] = {1, 2, 3, 4}\nconst w : f32[2] = {1, 10}\n"
     "y = conv(x, w, strides=[4], dilations=[2], pads_begin=[1], "
     "pads_end=[0], in_axes=[0], tap_axes=[0], out_axes=[-1]) : f32[]\n"
     "const want : f32[] = {20}\n"},
    {NULL, NULL},
};

static const value_row *const tables[] = {rows, value_rows_index,
                                          value_rows_window, value_rows_bits,
                                          value_rows_fused};
enum { N_TABLES = sizeof tables / sizeof tables[0] };

static void check_row(const value_row *row)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    char text[4000];
    (void)snprintf(text, sizeof text, "%sdim a2 = 2\ndim a3 = 2\n%s", DIMS,
                   row->text);
    bool ok = mw_graph_init(&graph, &arena, "m") == MW_OK &&
              mw_text_parse(&graph, "row", text) == MW_OK;
    const void **value =
        ok ? MW_NEW_ARRAY(&arena, graph.n_tensors, const void *) : NULL;
    ok = value && mw_eval_graph(&arena, &graph, value) == MW_OK;
    CHECK(ok, "%s: %s: %s", row->name, ctx.where, ctx.message);
    mw_id y = ok ? mw_graph_find_tensor(&graph, "y") : MW_NONE;
    mw_id want = ok ? mw_graph_find_tensor(&graph, "want") : MW_NONE;
    ok = ok && graph.tensor[y].dtype == graph.tensor[want].dtype &&
         law_differences(graph.tensor[y].dtype, value[y], value[want],
                         mw_tensor_elements(&graph.tensor[want])) == 0;
    CHECK(ok, "%s: another value", row->name);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void values(void)
{
    for (int t = 0; t < N_TABLES; t++)
        for (const value_row *row = tables[t]; row->name; row++)
            check_row(row);
}

// Every row of the registry that computes something is in the table; updates
// are held to traces of training.
static void all_ops(void)
{
    for (int k = 0; k < mw_op_count; k++) {
        char call[64];
        bool found = mw_op_table[k]->opaque || mw_op_table[k]->updates;
        (void)snprintf(call, sizeof call, "y = %s(", mw_op_table[k]->name);
        for (int t = 0; t < N_TABLES; t++)
            for (const value_row *row = tables[t]; row->name; row++)
                found = found || strstr(row->text, call);
        CHECK(found, "%s has no row", mw_op_table[k]->name);
    }
}

const mw_suite mw_suite_values = {
    "values", {{"what ops compute", values}, {"every op has a row", all_ops}}};
