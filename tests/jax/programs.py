"""Programs of JAX for the long tests: writes NAME.mlir and NAME.npz, arguments
(in:argN) and results (out:...), of each into a folder.

    python programs.py FOLDER

Wants jax, flax and optax. Each program is small; together they hold the
operations and forms that models are made of.
"""
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen
from jax import lax, nn

RANDOM = np.random.default_rng(7)
IMAGES = ("NHWC", "HWIO", "NHWC")
PROGRAMS = {}


def real(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def whole(below, *shape):
    return RANDOM.integers(0, below, shape).astype(np.int32)


def program(*args):
    def add(function):
        PROGRAMS[function.__name__] = (function, args)
        return function
    return add


def key_of(words, impl="threefry2x32"):
    return jax.random.wrap_key_data(words, impl=impl)


# ---- loops, branches, functions ----


@program(real(4, 6), real(6, 6))
def loop(x, w):
    return lax.fori_loop(0, 5, lambda i, c: jnp.tanh(c @ w) + i * 0.1, x)


@program(real(4, 6), real(3, 6, 6), real(3, 6))
def layers(x, w, b):
    def step(c, p):
        y = jnp.tanh(c @ p[0] + p[1])
        return y, y.sum(-1)
    return lax.scan(step, x, (w, b))


@program(real(4, 6))
def nested_loops(x):
    def outer(i, c):
        return lax.fori_loop(0, 3, lambda j, d: d * 0.9 + i * 0.1 + j, c)
    return lax.fori_loop(0, 4, outer, x)


@program(real(4, 6))
def backwards(x):
    return lax.scan(lambda c, r: (c + r, c * r), jnp.zeros(6), x, reverse=True)


@program(real(4, 6))
def while_known(x):
    return lax.while_loop(lambda s: s[0] < 7,
                          lambda s: (s[0] + 1, s[1] * 0.5 + 1), (0, x))[1]


@program(real(4, 6), np.int32(2))
def branches(x, i):
    one = lax.cond(i > 0, jnp.sin, lambda a: a - 1, x)
    return one, lax.switch(i, [jnp.cos, jnp.exp, lambda a: a * 2], x)


@program(real(4, 6), np.array([True, False, True, True]))
def branch_of_each(x, p):
    return jax.vmap(lambda a, b: lax.cond(b, jnp.sin, jnp.cos, a))(x, p)


@program(real(10, 6))
def slices_in_loops(x):
    def take(i, acc):
        return acc + lax.dynamic_slice(x, (2 * i, 0), (2, 6))

    def put(i, acc):
        return lax.dynamic_update_slice(acc, x[i][None] * 2, (9 - i, 0))
    return (lax.fori_loop(0, 5, take, jnp.zeros((2, 6))),
            lax.fori_loop(0, 10, put, jnp.zeros((10, 6))))


@program(real(4, 6), real(6, 5))
def functions(x, w):
    inner = jax.jit(lambda a: nn.relu(a @ w))
    outer = jax.jit(lambda a: inner(a) + inner(a * 2))
    return outer(x), outer(x + 1)


@program(real(2, 12, 4), real(2, 12, 4))
def state_space(x, dt):
    def combine(l, r):
        return l[0] * r[0], l[1] * r[0] + r[1]
    decay = jnp.exp(-nn.softplus(dt))
    return lax.associative_scan(combine, (decay, x), axis=1)[1]


# ---- windows ----


@program(real(2, 9, 8, 6), real(3, 3, 1, 12), real(3, 3, 6, 5))
def convolutions(x, each, w):
    def conv(w, strides, pads, **more):
        return lax.conv_general_dilated(x, w, strides, pads,
                                        dimension_numbers=IMAGES, **more)
    return (conv(each, (1, 1), "SAME", feature_group_count=6),
            conv(w, (1, 2), "VALID", rhs_dilation=(2, 1)),
            conv(w, (1, 1), [(2, 1), (1, 3)], lhs_dilation=(2, 3)),
            lax.conv_transpose(x, w, (2, 2), "SAME",
                               dimension_numbers=IMAGES))


@program(real(2, 9, 8, 6), real(3, 3, 2, 12))
def convolution_gradients(x, w):
    def loss(x, w):
        return (lax.conv_general_dilated(
            x, w, (2, 1), "SAME", dimension_numbers=IMAGES,
            feature_group_count=3)**2).sum()
    return jax.grad(loss, (0, 1))(x, w)


@program(real(2, 9, 6), real(3, 6, 5), real(2, 5, 6, 4, 3), real(2, 3, 3, 3, 4))
def other_ranks(x, w, y, v):
    return (lax.conv_general_dilated(x, w, (2,), "SAME",
                                     dimension_numbers=("NWC", "WIO", "NWC")),
            lax.conv_general_dilated(
                y, v, (1, 2, 1), "SAME",
                dimension_numbers=("NDHWC", "DHWIO", "NDHWC")))


@program(real(2, 9, 8, 6))
def pools(x):
    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1),
                                 (1, 2, 2, 1), "SAME")
    mean = lax.reduce_window(x, 0.0, lax.add, (1, 2, 3, 1), (1, 2, 3, 1),
                             "VALID") / 6
    least = lax.reduce_window(x, jnp.inf, lax.min, (1, 2, 2, 1), (1, 1, 2, 1),
                              "VALID", window_dilation=(1, 2, 1, 1))
    return pool(x), mean, least, jax.grad(lambda v: (pool(v)**2).sum())(x)


@program(real(4, 9))
def running(x):
    return (jnp.cumsum(x, 1), lax.cumsum(x, 0, reverse=True),
            lax.cumlogsumexp(x, 1), lax.cummax(x, 1), lax.cumprod(x, 0))


# ---- orders and look-ups ----


@program(whole(3, 5, 9), whole(3, 5, 9), real(5, 9))
def sorts(k, l, v):
    return (lax.sort((k, v), num_keys=1), lax.sort((k, l, v), num_keys=2),
            jnp.argsort(v, axis=1), jnp.argsort(v, axis=0, descending=True),
            lax.top_k(v, 3), jnp.argmax(v, 1), jnp.argmin(v, 0))


@program(real(5, 7, 3), real(5, 7), whole(7, 5, 4), real(5, 4))
def looked_up_each(t, m, i, u):
    return (jax.vmap(lambda a, b: a[b])(t, i),
            jax.vmap(lambda a, b, c: a.at[b].add(c))(m, i, u),
            jax.vmap(lambda a, b, c: a.at[b].max(c))(m, i, u))


@program(real(10, 4), whole(10, 6), real(6, 4))
def updates(x, i, u):
    return (x.at[i].add(u), x.at[i].max(u), x.at[i].mul(u), x.at[i, 1].set(3.),
            x.at[2:5, 1].add(1.), x.at[::2].set(0.),
            x.at[jnp.array([0, 20])].set(1., mode="drop"),
            jax.grad(lambda x: (x[i]**2).sum())(x))


@program(real(12, 3), np.array([0, 0, 1, 3, 3, 3, 4, 2, 2, 1, 0, 4], np.int32))
def segments(x, s):
    return (jax.ops.segment_sum(x, s, num_segments=5),
            jax.ops.segment_max(x, s, num_segments=5), nn.one_hot(s, 5))


# ---- products, attention ----


@program(real(3, 4, 5), real(3, 5, 6), real(6, 4))
def products(a, b, c):
    return (jnp.einsum("bij,bjk->bik", a, b),
            jnp.einsum("bij,bjk,ki->b", a, b, c), jnp.einsum("bij->ji", a),
            jnp.einsum("ij,ji->i", c, c.T), jnp.tensordot(a, b, ((2,), (1,))),
            jnp.linalg.norm(c), jnp.linalg.norm(c, axis=1))


@program(real(2, 6, 4, 8), real(2, 6, 4, 8), real(2, 6, 2, 8), real(2, 4, 6, 6))
def attention(q, k, v, bias):
    few = k[:, :, :2]
    return (nn.dot_product_attention(q, k, k, is_causal=True),
            nn.dot_product_attention(q, few, v, scale=0.3),
            nn.dot_product_attention(q, k, k, bias=bias,
                                     local_window_size=(2, 1)))


@program(real(4, 8).astype(jnp.float16), whole(99, 4, 8).astype(np.int8))
def narrow(x, q):
    return (jnp.dot(x, x.T, preferred_element_type=jnp.float32),
            lax.dot(q, q.T, preferred_element_type=jnp.int32), q + q,
            x.astype(jnp.bfloat16).astype(jnp.float32))


# ---- random numbers, bits ----


@program(np.array([0, 42], np.uint32))
def random_numbers(words):
    key = key_of(words)
    one, two = jax.random.split(key)
    return (jax.random.normal(one, (4, 6)), jax.random.uniform(two, (3,)),
            jax.random.bernoulli(two, 0.3, (5,)),
            jax.random.randint(one, (7,), 0, 10),
            jax.random.permutation(key, 8), jax.random.gumbel(key, (4,)),
            jax.random.bits(jax.random.fold_in(key, 3), (3,), jnp.uint8))


@program(np.array([1, 2, 3, 4], np.uint32))
def random_bits(words):
    key = key_of(words, "rbg")
    return (jax.random.uniform(key, (3, 4)), jax.random.normal(key, (5,)),
            jax.random.bits(key, (4,), jnp.uint16))


@program(whole(99, 4, 6), real(4, 6) > 0)
def bits(x, m):
    return (lax.reduce_or(x, (0,)), lax.reduce_xor(x, (1,)), x << 2, ~x,
            lax.population_count(x), lax.clz(x), m ^ (x > 50), m.all(0),
            jnp.cumsum(m, 1), lax.bitcast_convert_type(x, jnp.float32) * 0)


# ---- training ----


def step_of(optimizer):
    params = {"w1": real(6, 8) * 0.3, "b1": np.zeros(8, np.float32),
              "w2": real(8, 4) * 0.3}
    labels = optax.softmax_cross_entropy_with_integer_labels

    def step(p, state, x, y):
        def loss(p):
            return labels(nn.gelu(x @ p["w1"] + p["b1"]) @ p["w2"], y).mean()
        value, grads = jax.value_and_grad(loss)(p)
        change, state = optimizer.update(grads, state, p)
        return optax.apply_updates(p, change), state, value
    return step, (params, optimizer.init(params), real(8, 6), whole(4, 8))


OPTIMIZERS = {
    "adam": optax.adam(1e-2), "adamw": optax.adamw(1e-2),
    "lion": optax.lion(1e-3), "lamb": optax.lamb(1e-2),
    "adafactor": optax.adafactor(1e-2, min_dim_size_to_factor=4),
    "clip": optax.chain(optax.clip_by_global_norm(0.5),
                        optax.sgd(0.1, momentum=0.9)),
    "schedule": optax.adam(optax.warmup_cosine_decay_schedule(0, 1e-2, 3, 9)),
    "accumulate": optax.MultiSteps(optax.adam(1e-2), 2),
}
for name, optimizer in OPTIMIZERS.items():
    PROGRAMS["step_" + name] = step_of(optimizer)


class Convolutional(linen.Module):
    @linen.compact
    def __call__(self, x):
        x = linen.relu(linen.Conv(8, (3, 3))(x))
        x = linen.BatchNorm(use_running_average=True)(x)
        x = linen.max_pool(x, (2, 2), (2, 2))
        x = linen.GroupNorm(4)(linen.Conv(8, (3, 3), feature_group_count=8)(x))
        return linen.Dense(5)(x.mean((1, 2)))


class Transformer(linen.Module):
    @linen.compact
    def __call__(self, ids):
        places = jnp.arange(ids.shape[1])
        x = linen.Embed(11, 16)(ids) + linen.Embed(7, 16)(places)
        mask = linen.make_causal_mask(ids)
        for _ in range(2):
            h = linen.LayerNorm()(x)
            x = x + linen.MultiHeadDotProductAttention(4)(h, mask=mask)
            h = linen.gelu(linen.Dense(32)(linen.LayerNorm()(x)))
            x = x + linen.Dense(16)(h)
        return linen.Dense(11)(linen.RMSNorm()(x))


class Recurrent(linen.Module):
    @linen.compact
    def __call__(self, x):
        both = linen.Bidirectional(linen.RNN(linen.SimpleCell(4)),
                                   linen.RNN(linen.SimpleCell(4)))
        return (linen.RNN(linen.LSTMCell(8))(x),
                linen.RNN(linen.GRUCell(8), reverse=True)(x), both(x))


def add_module(name, module, x):
    variables = module.init(jax.random.key(0), x)
    PROGRAMS[name] = (module.apply, (variables, x))

    def gradients(variables, x):
        def loss(v):
            leaves = jax.tree_util.tree_leaves(module.apply(v, x))
            return sum((leaf**2).mean() for leaf in leaves)
        return jax.value_and_grad(loss)(variables)
    PROGRAMS[name + "_gradients"] = (gradients, (variables, x))


add_module("convolutional", Convolutional(), real(4, 8, 8, 3))
add_module("transformer", Transformer(), whole(11, 4, 7))
add_module("recurrent", Recurrent(), real(4, 6, 5))


def write(folder, name, function, args):
    jitted = jax.jit(function, keep_unused=True)
    arrays = {f"in:arg{i}": np.asarray(x)
              for i, x in enumerate(jax.tree_util.tree_leaves(args))}
    results = jax.tree_util.tree_flatten_with_path(jitted(*args))[0]
    for path, x in results:
        arrays["out:result" + jax.tree_util.keystr(path)] = np.asarray(x)
    with open(f"{folder}/{name}.mlir", "w") as file:
        file.write(jitted.lower(*args).as_text())
    np.savez(f"{folder}/{name}.npz", **arrays)


for name, (function, args) in PROGRAMS.items():
    write(sys.argv[1], name, function, args)
