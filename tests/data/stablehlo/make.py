"""Writes the StableHLO samples of this folder: X.mlir, what JAX prints of a
jitted function, and X.npz, its arguments (in:NAME) and results (out:NAME).

    python make.py FOLDER

Wants jax and optax. The names are the text's: those of locations, else %argN,
and jax.result_info.
"""
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

FOLDER = sys.argv[1]
LIMIT = 200_000


def write(name, function, *args, names=None, **options):
    jitted = jax.jit(function, keep_unused=True)
    text = jitted.lower(*args).as_text(**options)
    arrays = {}
    for i, x in enumerate(jax.tree_util.tree_leaves(args)):
        key = names[i] if names else f"arg{i}"
        arrays["in:" + key] = np.asarray(jnp.asarray(x))
    results = jax.tree_util.tree_flatten_with_path(jitted(*args))[0]
    for path, x in results:
        arrays["out:result" + jax.tree_util.keystr(path)] = np.asarray(x)
    with open(f"{FOLDER}/{name}.mlir", "w") as file:
        file.write(text)
    np.savez_compressed(f"{FOLDER}/{name}.npz", **arrays)
    assert len(text) < LIMIT, (name, len(text))


def normal(seed, *shape, scale=1.0):
    x = np.random.default_rng(seed).standard_normal(shape) * scale
    return x.astype(np.float32)


def integers(seed, below, *shape):
    return np.random.default_rng(seed).integers(0, below, shape, np.int32)


# ---- models ----


def norm(p, x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * p


def block(p, x, heads):
    b, s, d = x.shape
    h = norm(p["n1"], x)
    q, k, v = (
        (h @ p[n]).reshape(b, s, heads, d // heads).transpose(0, 2, 1, 3)
        for n in "qkv"
    )
    a = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d // heads)
    a = jnp.where(jnp.tril(jnp.ones((s, s), bool)), a, -1e9)
    a = jax.nn.softmax(a, axis=-1) @ v
    x = x + a.transpose(0, 2, 1, 3).reshape(b, s, d) @ p["o"]
    return x + jax.nn.gelu(norm(p["n2"], x) @ p["up"]) @ p["down"]


def gpt(p, ids, heads=5):
    x = p["tok"][ids] + p["pos"][: ids.shape[1]]
    for layer in p["layers"]:
        x = block(layer, x, heads)
    return norm(p["n"], x) @ p["head"]


def gpt_params(layers, d, vocab, seq):
    def matrix(seed, *shape):
        return normal(seed, *shape, scale=0.1)

    def layer(i):
        shapes = {"q": (d, d), "k": (d, d), "v": (d, d), "o": (d, d),
                  "up": (d, 4 * d), "down": (4 * d, d)}
        p = {n: matrix(10 * i + k, *s) for k, (n, s) in
             enumerate(shapes.items())}
        return p | {"n1": 1 + matrix(i, d), "n2": 1 + matrix(i + 1, d)}

    return {"tok": matrix(1, vocab, d), "pos": matrix(2, seq, d),
            "n": 1 + matrix(3, d), "head": matrix(4, d, vocab),
            "layers": [layer(i) for i in range(layers)]}


def gpt_loss(p, ids, heads):
    logits = gpt(p, ids[:, :-1], heads)
    return optax.softmax_cross_entropy_with_integer_labels(
        logits, ids[:, 1:]).mean()


def train_step(heads, optimizer):
    def step(p, state, ids):
        loss, grads = jax.value_and_grad(gpt_loss)(p, ids, heads)
        updates, state = optimizer.update(grads, state, p)
        return optax.apply_updates(p, updates), state, loss

    return step


def mlp(layers, x):
    for w, b in layers[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = layers[-1]
    return jax.nn.log_softmax(x @ w + b)


def convnet(p, x):
    def conv(x, w, stride):
        return lax.conv_general_dilated(
            x, w, (stride, stride), "SAME",
            dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1),
                                 (1, 2, 2, 1), "VALID")

    x = pool(jax.nn.relu(conv(x, p["c1"], 1)))
    x = jax.nn.relu(conv(x, p["c2"], 2)).mean((1, 2))
    return x @ p["w"]


def convnet_step(p, x, y):
    def loss(p):
        return optax.softmax_cross_entropy_with_integer_labels(
            convnet(p, x), y).mean()

    value, grads = jax.value_and_grad(loss)(p)
    return jax.tree.map(lambda a, g: a - 0.1 * g, p, grads), value


def mixture(p, x):
    """Two experts of four a token, all computed, gated."""
    gate = jax.nn.softmax(x @ p["gate"])
    best, index = lax.top_k(gate, 2)
    best = best / best.sum(-1, keepdims=True)
    weight = (jax.nn.one_hot(index, 4) * best[..., None]).sum(-2)
    h = jax.nn.silu(jnp.einsum("bd,edf->ebf", x, p["up"]))
    y = jnp.einsum("ebf,efd->ebd", h, p["down"])
    return jnp.einsum("ebd,be->bd", y, weight)


# ---- operations ----


def dropout(key, x):
    return jax.random.bernoulli(key, 0.8, x.shape) * x / 0.8


def scan(x, ws):
    return lax.scan(lambda c, w: (jnp.tanh(c @ w), c.sum()), x, ws)


def lookups(t, i, j, k):
    return (t[i], t[i, j], jnp.take(t, j, axis=1),
            jnp.take_along_axis(t, k, axis=1),
            lax.dynamic_slice(t, (i[0], 0), (2, 3)))


def updates(t, i, v):
    return (t.at[i].set(v), t.at[i].add(v), t.at[i].max(v), t.at[i].mul(v),
            t.at[:, 1].set(v[:, 0].sum()), jax.ops.segment_sum(v, i, 3),
            lax.dynamic_update_slice(t, v, (i[0], 0)))


def orders(x):
    return (jnp.sort(x), jnp.argsort(x, descending=True), lax.top_k(x, 2),
            jnp.argmax(x, 1), jnp.cumsum(x, 1), lax.cummax(x, 0))


def windows(x):
    def pooled(x):
        y = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1),
                              (1, 2, 2, 1), "SAME")
        z = lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1),
                              "VALID")
        return (y**2).sum() + (z**2).sum()

    return jax.value_and_grad(pooled)(x)


def moves(x):
    return (lax.pad(x, np.float32(1), ((1, 2, 1), (-1, 0, 0))), x[::-1, ::2],
            jnp.roll(x, 1, 0), jnp.concatenate([x, x.T[:4]], 1)
            if x.shape[0] == x.shape[1] else jnp.tile(x, (2, 1)),
            jnp.triu(x), jnp.repeat(x, 2, 1))


def maps(x):
    return (jnp.log1p(abs(x)), jnp.expm1(x), lax.erf_inv(x / 9),
            jax.nn.gelu(x, approximate=False), jnp.arctan2(x, x + 1),
            jnp.round(x), x**3, jnp.remainder(x, 2.0), jnp.cbrt(x),
            x.astype(jnp.int32) << 2, x > 0, jnp.where(x > 1, x, 0))


def branches(i, x):
    return lax.switch(i, [jnp.sin, jnp.cos, jnp.exp], x)


def bits(key):
    return jax.random.bits(jax.random.wrap_key_data(key, impl="rbg"), (3, 5))


def rare(x, i, j, halves, key):
    small = jax.random.wrap_key_data(key, impl="rbg")
    bf16 = lax.bitcast_convert_type(halves, jnp.bfloat16)
    f16 = lax.bitcast_convert_type(halves, jnp.float16)
    return (jax.scipy.special.gammaln(x), jax.scipy.special.digamma(x[3:]),
            lax.sort((i, j, jnp.arange(i.shape[1]) + j * 10), num_keys=2),
            lax.reduce_xor(i, (1,)), lax.reduce_or(j, (0,)),
            lax.reduce_and(i, (0, 1)), lax.reduce_xor(i > 1, (1,)),
            bf16.astype(jnp.float32), f16.astype(jnp.float32),
            lax.bitcast_convert_type(bf16, jnp.uint16),
            jax.random.bits(small, (7,), jnp.uint8))


def named(params, x):
    return x @ params["kernel"] + params["bias"]


p = gpt_params(2, 40, 64, 12)
write("gpt", gpt, p, integers(5, 64, 4, 12))
adam = optax.adam(1e-3)
small = gpt_params(1, 16, 32, 9)
write("gpt_adam", train_step(4, adam), small, adam.init(small),
      integers(6, 32, 4, 9))
write("mlp", mlp, [(normal(1, 12, 32), normal(2, 32)),
                   (normal(3, 32, 7), normal(4, 7))], normal(5, 6, 12))
weights = {"c1": normal(1, 3, 3, 3, 8), "c2": normal(2, 3, 3, 8, 8),
           "w": normal(3, 8, 5)}
write("convnet", convnet, weights, normal(4, 4, 12, 12, 3))
write("convnet_step", convnet_step, weights, normal(4, 4, 12, 12, 3),
      integers(5, 5, 4))
write("mixture", mixture,
      {"gate": normal(1, 8, 4), "up": normal(2, 4, 8, 16),
       "down": normal(3, 4, 16, 8)}, normal(4, 6, 8))
write("dropout", dropout, jax.random.PRNGKey(7), normal(1, 6, 5))
write("scan", scan, normal(1, 4, 4), normal(2, 3, 4, 4))
write("lookups", lookups, normal(1, 7, 4), integers(2, 7, 5),
      integers(3, 4, 5), integers(4, 4, 7, 2))
write("updates", updates, normal(1, 7, 4), np.array([1, 5, 2], np.int32),
      normal(2, 3, 4))
write("orders", orders, normal(1, 4, 5))
write("windows", windows, normal(1, 2, 8, 8, 3))
write("moves", moves, normal(1, 4, 5))
write("maps", maps, normal(1, 4, 5))
write("branches", branches, np.int32(1), normal(1, 6))
write("bits", bits, jax.random.key_data(jax.random.key(3, impl="rbg")))
write("rare", rare,
      np.array([-3.7, -2, -1, -0.5, 0, 0.2, 0.5, 1, 2, 7.3, 30], np.float32),
      integers(1, 4, 5, 9), integers(2, 3, 5, 9),
      np.arange(0, 0x7C00, 97).astype(np.uint16),
      jax.random.key_data(jax.random.key(3, impl="rbg")))
write("named", named, {"kernel": normal(1, 6, 8), "bias": normal(2, 8)},
      normal(3, 4, 6), debug_info=True,
      names=["params['bias']", "params['kernel']", "x"])
