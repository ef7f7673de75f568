/* value_rows_index.c - values of ops that index, sort, count and move. */
#include <stddef.h>

#include "tests/value_rows.h"

const value_row value_rows_index[] = {
    {"gather from the only row", "const t : f32[a] = {1, 2}\n"
                                 "const i : i64[b] = {0, -1, 0}\n"
                                 "y = gather(t, i) : f32[b, a]\n"
                                 "const want : f32[b, a] = {1, 2, 1, 2, 1, "
                                 "2}\n"},
    {"wrap", "const i : i64[c] = {0, -1, 6, -7}\n"
             "y = wrap(i, size=7) : i64[c]\n"
             "const want : i64[c] = {0, 6, 6, 0}\n"},
    {"scatter_add", "const g : f32[c, a] = {1, 2, 3, 4, 5, 6, 7, 8}\n"
                    "const i : i64[c] = {2, 0, -1, 2}\n"
                    "y = scatter_add(g, i, dim=b) : f32[b, a]\n"
                    "const want : f32[b, a] = {3, 4, 0, 0, 13, 16}\n"},
    {"scatter_add in batches", "const g : i8[a, b] = {1, 2, 3, 4, 5, 6}\n"
                               "const i : u8[a, b] = {0, 0, 1, 3, 2, 3}\n"
                               "y = scatter_add(g, i, dim=c) : i8[a, c]\n"
                               "const want : i8[a, c] = {3, 3, 0, 0, 0, 0, 5, "
                               "10}\n"},
    {"scatter_add outside the rows is left out",
     "const g : i8[c] = {1, 2, 3, 4}\nconst i : i64[c] = {3, -4, 2, "
     "9223372036854775807}\ny = scatter_add(g, i, dim=b) : i8[b]\n"
     "const want : i8[b] = {0, 0, 3}\n"},
    {"scatter_add of none", "const g : f32[z, a] = {}\nconst i : i64[z] = {}\n"
                            "y = scatter_add(g, i, dim=b) : f32[b, a]\n"
                            "const want : f32[b, a] = {0, 0, 0, 0, 0, 0}\n"},
    {"scatter sets, the last one last",
     "const t : f32[c] = {1, 2, 3, 4}\nconst i : i64[b] = {2, 0, 2}\n"
     "const g : f32[b] = {10, 20, 30}\n"
     "y = scatter(t, i, g, mode=\"set\", dim=c) : f32[c]\n"
     "const want : f32[c] = {20, 2, 30, 4}\n"},
    {"scatter adds",
     "const t : f32[c] = {1, 2, 3, 4}\nconst i : i64[b] = {2, 0, 2}\n"
     "const g : f32[b] = {10, 20, 30}\n"
     "y = scatter(t, i, g, mode=\"add\", dim=c) : f32[c]\n"
     "const want : f32[c] = {21, 2, 43, 4}\n"},
    {"scatter multiplies",
     "const t : i64[c] = {1, 2, 3, 4}\nconst i : i64[b] = {2, 0, -2}\n"
     "const g : i64[b] = {10, 20, 30}\n"
     "y = scatter(t, i, g, mode=\"mul\", dim=c) : i64[c]\n"
     "const want : i64[c] = {20, 2, 900, 4}\n"},
    {"scatter takes the least",
     "const t : f32[c] = {1, 2, 3, 4}\nconst i : i64[b] = {2, 0, 2}\n"
     "const g : f32[b] = {-1, 20, 30}\n"
     "y = scatter(t, i, g, mode=\"min\", dim=c) : f32[c]\n"
     "const want : f32[c] = {1, 2, -1, 4}\n"},
    {"scatter takes the greatest of rows",
     "const t : f32[b, a] = {1, 2, 3, 4, 5, 6}\nconst i : i64[a2] = {2, 0}\n"
     "const g : f32[a, a2] = {0, 9, 8, 7}\n"
     "y = scatter(t, i, g, mode=\"max\", dim=b) : f32[b, a]\n"
     "const want : f32[b, a] = {9, 7, 3, 4, 5, 8}\n"},
    {"one_hot", "const i : i64[c] = {2, 0, 3, -1}\n"
                "y = one_hot(i, dim=b) : f32[c, b]\n"
                "const want : f32[c, b] = {0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, "
                "0}\n"},
    {"one_hot in front", "const i : u8[a] = {2, 0}\n"
                         "y = one_hot(i, dim=b) : bool[b, a]\n"
                         "const want : bool[b, a] = {0, 1, 0, 0, 1, 0}\n"},
    {"iota", "y = iota(dim=b) : i32[a, b]\n"
             "const want : i32[a, b] = {0, 1, 2, 0, 1, 2}\n"},
    {"iota of floats", "y = iota(dim=a) : f64[a, b]\n"
                       "const want : f64[a, b] = {0, 0, 0, 1, 1, 1}\n"},
    {"cumsum", "const x : f32[a, b] = {1, 2, 3, 4, 5, 6}\n"
               "y = cumsum(x, dim=b) : f32[a, b]\n"
               "const want : f32[a, b] = {1, 3, 6, 4, 9, 15}\n"},
    {"cumsum of what lies before", "const x : i8[c] = {100, 100, 3, 4}\n"
                                   "y = cumsum(x, dim=c, exclusive=1) : i8[c]\n"
                                   "const want : i8[c] = {0, 100, -56, -53}\n"},
    {"cumsum from the end", "const x : f32[c] = {1, 2, 3, 4}\n"
                            "y = cumsum(x, dim=c, reverse=1) : f32[c]\n"
                            "const want : f32[c] = {10, 9, 7, 4}\n"},
    {"cumsum of what lies behind",
     "const x : f32[c] = {1, 2, 3, inf}\n"
     "y = cumsum(x, dim=c, reverse=1, exclusive=1) : f32[c]\n"
     "const want : f32[c] = {inf, inf, inf, 0}\n"},
    {"scan keeps what it carries",
     "body run\ndim a = 2\ninput s : f32[a]\ninput x : f32[a]\n"
     "n = add(s, x) : f32[a]\nresult n, n\nend\n"
     "const s : f32[a] = {0, 10}\n"
     "const x : f32[b, a] = {1, 2, 3, 4, 5, 6}\n"
     "last, y = scan(s, x, body=run, carries=1, dim=b) : f32[a], f32[b, a]\n"
     "const want : f32[b, a] = {1, 12, 4, 16, 9, 22}\n"},
    {"flip", "const x : i8[a, b] = {1, 2, 3, 4, 5, 6}\n"
             "y = flip(x, dim=b) : i8[a, b]\n"
             "const want : i8[a, b] = {3, 2, 1, 6, 5, 4}\n"},
    {"shift", "const x : i8[a, b] = {1, 2, 3, 4, 5, 6}\n"
              "y = shift(x, dim=b, by=1) : i8[a, b]\n"
              "const want : i8[a, b] = {0, 1, 2, 0, 4, 5}\n"},
    {"shift back", "const x : i8[c] = {1, 2, 3, 4}\n"
                   "y = shift(x, dim=c, by=-3) : i8[c]\n"
                   "const want : i8[c] = {4, 0, 0, 0}\n"},
    {"sort", "const x : f32[e] = {3, nan, -inf, 3, -1, inf}\n"
             "y, i = sort(x, dim=e) : f32[e], i64[e]\n"
             "const want : f32[e] = {-inf, -1, 3, 3, inf, nan}\n"},
    {"sort keeps the order of equals",
     "const x : f32[e] = {3, nan, -inf, 3, -1, inf}\n"
     "v, y = sort(x, dim=e) : f32[e], i64[e]\n"
     "const want : i64[e] = {2, 4, 0, 3, 5, 1}\n"},
    {"sort downwards keeps it too",
     "const x : u8[a, b] = {7, 7, 255, 1, 2, 1}\n"
     "v, y = sort(x, dim=b, descending=1) : u8[a, b], i64[a, b]\n"
     "const want : i64[a, b] = {2, 0, 1, 1, 0, 2}\n"},
    {"places", "const x : bool[c] = {0, 1, 1, 0}\n"
               "y = places(x, dim=c, count=2) : i64[a]\n"
               "const want : i64[a] = {1, 2}\n"},
    {"places, one", "const x : bool[c] = {0, 0, 1, 0}\n"
                    "y = places(x, dim=c, count=1) : i64[]\n"
                    "const want : i64[] = {2}\n"},
    {"top_k", "const x : f32[a, c] = {3, 9, 4, 9, 0, -2, 8, 1}\n"
              "v, y = top_k(x, dim=c, k=3) : f32[b, a], i64[b, a]\n"
              "const want : i64[b, a] = {1, 2, 3, 3, 2, 0}\n"},
    {"top_k of the smallest",
     "const x : i8[a, c] = {3, 9, 4, 9, 0, -2, 8, 1}\n"
     "y, i = top_k(x, dim=c, k=2, largest=0) : i8[a, a2], i64[a, a2]\n"
     "const want : i8[a, a2] = {3, 4, -2, 0}\n"},
    {"top_k of one", "const x : i8[a, c] = {3, 9, 4, 9, 0, -2, 8, 1}\n"
                     "v, y = top_k(x, dim=c, k=1) : i8[a], i64[a]\n"
                     "const want : i64[a] = {1, 2}\n"},
    {NULL, NULL},
};
