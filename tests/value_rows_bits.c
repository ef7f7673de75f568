/* value_rows_bits.c - values of ops on the bits of integers. */
#include <stddef.h>

#include "tests/value_rows.h"

const value_row value_rows_bits[] = {
    {"bit_and", "const x : u32[b] = {12, 4294967295, 5}\n"
                "const v : u32[b] = {10, 65536, 0}\n"
                "y = bit_and(x, v) : u32[b]\n"
                "const want : u32[b] = {8, 65536, 0}\n"},
    {"bit_or of signed", "const x : i32[b] = {12, -2, 5}\n"
                         "const v : i32[b] = {10, 1, 0}\n"
                         "y = bit_or(x, v) : i32[b]\n"
                         "const want : i32[b] = {14, -1, 5}\n"},
    {"bit_xor", "const x : u8[b] = {12, 255, 5}\n"
                "const v : u8[b] = {10, 15, 5}\n"
                "y = bit_xor(x, v) : u8[b]\n"
                "const want : u8[b] = {6, 240, 0}\n"},
    {"bit_not", "const x : u8[a] = {12, 255}\ny = bit_not(x) : u8[a]\n"
                "const want : u8[a] = {243, 0}\n"},
    {"bit_not of signed", "const x : i64[a] = {0, -1}\n"
                          "y = bit_not(x) : i64[a]\n"
                          "const want : i64[a] = {-1, 0}\n"},
    {"shift_left out of the width",
     "const x : u32[c] = {1, 1, 3, 1}\nconst v : u32[c] = {31, 32, 31, 99}\n"
     "y = shift_left(x, v) : u32[c]\n"
     "const want : u32[c] = {2147483648, 0, 2147483648, 0}\n"},
    {"shift_left of 64 bits", "const x : i64[b] = {1, 1, -1}\n"
                              "const v : i64[b] = {62, 64, 1}\n"
                              "y = shift_left(x, v) : i64[b]\n"
                              "const want : i64[b] = {4611686018427387904, 0, "
                              "-2}\n"},
    {"shift_right", "const x : u32[b] = {4294967295, 5, 7}\n"
                    "const v : u32[b] = {31, 1, 40}\n"
                    "y = shift_right(x, v) : u32[b]\n"
                    "const want : u32[b] = {1, 2, 0}\n"},
    {"shift_right keeps a sign", "const x : i32[c] = {-8, 8, -1, -5}\n"
                                 "const v : i32[c] = {1, 2, 70, -1}\n"
                                 "y = shift_right(x, v) : i32[c]\n"
                                 "const want : i32[c] = {-4, 2, -1, -1}\n"},
    {"popcount", "const x : u64[b] = {0, 18446744073709551615, 10}\n"
                 "y = popcount(x) : u64[b]\n"
                 "const want : u64[b] = {0, 64, 2}\n"},
    {"atan2 in all quarters",
     "const x : f64[c] = {0, 0, 1, -1}\nconst v : f64[c] = {1, -1, 0, 0}\n"
     "y = atan2(x, v) : f64[c]\n"
     "const want : f64[c] = {0, 3.141592653589793, 1.5707963267948966, "
     "-1.5707963267948966}\n"},
    {"bitcast", "const x : f32[b] = {1, -2, 0}\n"
                "y = bitcast(x, to=u32) : u32[b]\n"
                "const want : u32[b] = {1065353216, 3221225472, 0}\n"},
    {"bitcast back", "const x : i64[a] = {4607182418800017408, 0}\n"
                     "y = bitcast(x, to=f64) : f64[a]\n"
                     "const want : f64[a] = {1, 0}\n"},
    {NULL, NULL},
};
