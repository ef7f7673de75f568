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
    {"an attention with a mask, by shares of sums",
     "body share\ndim a = 2\ndim b = 3\ndim c = 4\ndim a2 = 2\n"
     "input q : f32[a, c]\ninput k : f32[b, c]\ninput m : bool[a, b]\n"
     "input v : f32[b, a2]\nconst zero : f32[] = {0}\n"
     "x = einsum(q, k) : f32[a, b]\nz = where(m, x, zero) : f32[a, b]\n"
     "n = reduce_sum(z) : f32[a]\nw = div(z, n) : f32[a, b]\n"
     "o = einsum(w, v) : f32[a, a2]\nresult o\nend\n"
     "const q : f32[a, c] = {1, 0, 0, 1, 0, 2, 0, 0}\n"
     "const k : f32[b, c] = {1, 1, 0, 0, 0, 1, 1, 1, 3, 0, 0, 0}\n"
     "const m : bool[a, b] = {1, 0, 1, 1, 1, 1}\n"
     "const v : f32[b, a2] = {4, 8, 2, 4, 8, 12}\n"
     "y = attention(q, k, m, v, body=share) : f32[a, a2]\n"
     "const want : f32[a, a2] = {7, 11, 3, 6}\n"},
    {0},
};
