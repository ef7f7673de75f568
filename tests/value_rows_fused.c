/* value_rows_fused.c - what groups of maps compute. */
#include "tests/value_rows.h"

const value_row value_rows_fused[] = {
    {"a group of maps",
     "body blend\ndim a = 2\ndim b = 3\ninput x : f32[a, b]\ninput v : f32[b]\n"
     "const two : f32[] = {2}\nd = sub(x, v) : f32[a, b]\n"
     "m = mul(d, two) : f32[a, b]\nr = relu(m) : f32[a, b]\nresult r\nend\n"
     "const x : f32[a, b] = {1, 2, 3, 4, 5, 6}\n"
     "const v : f32[b] = {3, 2, 1}\n"
     "y = fused(x, v, body=blend) : f32[a, b]\n"
     "const want : f32[a, b] = {0, 0, 4, 2, 6, 10}\n"},
    {"a group whose rows lie across",
     "body across\ndim a = 2\ndim b = 3\ninput x : i64[a, b]\n"
     "input v : i64[b, a]\ns = add(x, v) : i64[b, a]\n"
     "n = neg(s) : i64[a, b]\nresult n\nend\n"
     "const x : i64[a, b] = {1, 2, 3, 4, 5, 6}\n"
     "const v : i64[b, a] = {10, 40, 20, 50, 30, 60}\n"
     "y = fused(x, v, body=across) : i64[a, b]\n"
     "const want : i64[a, b] = {-11, -22, -33, -44, -55, -66}\n"},
    {"a sum of squares",
     "body squares\ndim a = 2\ndim b = 3\ninput x : f32[a, b]\n"
     "input m : f32[a]\nd = sub(x, m) : f32[a, b]\nq = mul(d, d) : f32[a, b]\n"
     "s = reduce_sum(q) : f32[a]\nresult s\nend\n"
     "const x : f32[a, b] = {1, 2, 3, 4, 5, 6}\nconst m : f32[a] = {2, 4}\n"
     "y = fused_sum(x, m, body=squares) : f32[a]\n"
     "const want : f32[a] = {2, 5}\n"},
    {"a greatest value along both dims, NaN above all",
     "body top\ndim a = 2\ndim b = 3\ninput x : f32[a, b]\n"
     "n = neg(x) : f32[a, b]\nm = reduce_max(n) : f32[b]\nresult m\nend\n"
     "const x : f32[a, b] = {1, nan, 3, 4, 5, -6}\n"
     "y = fused_max(x, body=top) : f32[b]\n"
     "const want : f32[b] = {-1, nan, 6}\n"},
    {"a least value of integers",
     "body least\ndim a = 2\ndim b = 3\ninput x : i32[a, b]\n"
     "input v : i32[]\np = mul(x, v) : i32[a, b]\n"
     "m = reduce_min(p) : i32[a]\nresult m\nend\n"
     "const x : i32[a, b] = {1, 2, 3, -4, 5, -6}\nconst v : i32[] = {-2}\n"
     "y = fused_min(x, v, body=least) : i32[a]\n"
     "const want : i32[a] = {-6, -10}\n"},
    {0},
};
