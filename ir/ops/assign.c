/* assign.c - a state or parameter takes a value. */
#include "ir/scalar.h"

static double f(const double x[])
{
    return x[1];
}

static uint64_t u(const uint64_t x[])
{
    return x[1];
}

static bool b(const uint64_t x[])
{
    return x[1] != 0;
}

static const mw_scalar scalar = {.f = f, .u = u, .ring = true, .b = b};

static const int8_t updates[] = {0};

const mw_op_def mw_op_assign = {
    MW_MAP_ROW(2),
    .name = "assign",
    .brief = "a state or parameter takes a value",
    .scalar = &scalar,
    .updates = updates,
    .no_grad = "it is what training does",
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 6\n"
            "state s : f32[a, b]\ninput x : f32[b, a]\n"
            "y = assign(s, x) : f32[a, b]\noutput y\n",
            "model m\ndim a = 5\nstate n : i64[] = 3\ninput x : i64[a]\n"
            "param w : f32[a] = 0.5\nc = cast(x, to=f32) : f32[a]\n"
            "v = assign(w, c) : f32[a]\nz = add(v, c) : f32[a]\n"
            "one = reduce_sum(x) : i64[]\nm = assign(n, one) : i64[]\n"
            "output z\noutput m\n",
            NULL,
        },
};
