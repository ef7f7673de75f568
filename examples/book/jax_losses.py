"""usage: jax_losses.py TEXT CHECKPOINT.safetensors LOSSES.jsonl

Trains the model of train.sh with JAX and optax, from the weights of a checkpoint
of step 0 and on the same examples in the same order, and compares the losses with
those that meshwright wrote: each within 1 %, or the status is 1."""
import json
import struct
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax

LAYERS, HEADS, SEQ, BATCH, SEED = 4, 4, 64, 16, 0
RATE, WARMUP = 1e-3, 20
MASK = (1 << 64) - 1


def read(path):
    with open(path, "rb") as f:
        n = struct.unpack("<Q", f.read(8))[0]
        header = json.loads(f.read(n))
        data = f.read()
    out = {}
    for name, item in header.items():
        if name != "__metadata__" and item["dtype"] == "F32":
            a, b = item["data_offsets"]
            out[name] = np.frombuffer(data[a:b], np.float32).reshape(
                item["shape"])
    return out


# ---- the order of examples (docs/training.md) ----

def mix(x):
    x ^= x >> 33
    x = x * 0xff51afd7ed558ccd & MASK
    x ^= x >> 33
    x = x * 0xc4ceb9fe1a85ec53 & MASK
    return x ^ x >> 33


def scramble(key, value):
    z = key ^ value * 0x9e3779b97f4a7c15 & MASK
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
    z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
    return z ^ z >> 31


def example(n, position):
    epoch, at = divmod(position, n)
    key = mix(mix((SEED + 0x9e3779b97f4a7c15) & MASK) ^ epoch)
    half = 1
    while half < 32 and 1 << 2 * half < n:
        half += 1
    low = (1 << half) - 1
    while True:
        left, right = at >> half, at & low
        for i in range(6):
            left, right = right, left ^ scramble(key + i & MASK, right) & low
        at = left << half | right
        if at < n:
            return at


# ---- the model ----

def norm(x, p, at):
    mean = x.mean(-1, keepdims=True)
    d = x - mean
    y = d / jnp.sqrt((d * d).mean(-1, keepdims=True) + 1e-5)
    return y * p[at + ".weight"] + p[at + ".bias"]


def logits(p, ids):
    b, s = ids.shape
    x = p["wte.weight"][ids] + p["wpe.weight"]
    mask = np.tril(np.ones((s, s), bool))
    for i in range(LAYERS):
        h = f"h.{i}."
        n = norm(x, p, h + "ln_1")
        q, k, v = ((n @ p[f"{h}attn.{c}.weight"] + p[f"{h}attn.{c}.bias"])
                   .reshape(b, s, HEADS, -1) for c in "qkv")
        a = jnp.einsum("bshe,bthe->bhst", q, k) / np.sqrt(
            q.shape[-1]).astype(np.float32)
        a = jax.nn.softmax(jnp.where(mask, a, -1e9), -1)
        o = jnp.einsum("bhst,bthe->bshe", a, v).reshape(b, s, -1)
        x = x + o @ p[h + "attn.o.weight"] + p[h + "attn.o.bias"]
        n = norm(x, p, h + "ln_2")
        n = jax.nn.gelu(n @ p[h + "mlp.fc.weight"] + p[h + "mlp.fc.bias"])
        x = x + n @ p[h + "mlp.proj.weight"] + p[h + "mlp.proj.bias"]
    return norm(x, p, "ln_f") @ p["wte.weight"].T


def loss(p, ids, labels):
    return optax.softmax_cross_entropy_with_integer_labels(
        logits(p, ids), labels).mean()


def main(text, start, losses):
    with open(losses) as f:
        want = [json.loads(line)["loss"] for line in f]
    tokens = np.fromfile(text, np.uint8)
    params = {k: jnp.asarray(v) for k, v in read(start).items()
              if "/" not in k}
    rate = optax.warmup_cosine_decay_schedule(0, RATE, WARMUP, len(want))
    adam = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate))
    state = adam.init(params)

    @jax.jit
    def step(p, state, ids, labels):
        value, grad = jax.value_and_grad(loss)(p, ids, labels)
        update, state = adam.update(grad, state, p)
        return optax.apply_updates(p, update), state, value

    n, worst = (len(tokens) - 1) // SEQ, 0.0
    for k, ours in enumerate(want):
        first = [SEQ * example(n, k * BATCH + i) for i in range(BATCH)]
        rows = np.stack([tokens[a:a + SEQ + 1] for a in first]).astype(np.int32)
        params, state, value = step(params, state, rows[:, :-1], rows[:, 1:])
        worst = max(worst, abs(ours / float(value) - 1))
        if k % 50 == 0 or k == len(want) - 1:
            print(f"step {k + 1}: {ours:.6f}, JAX {float(value):.6f}")
    print(f"largest relative difference over {len(want)} steps: {worst:.2g}")
    return worst > 0.01


sys.exit(main(*sys.argv[1:]))
