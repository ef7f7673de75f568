"""Makes lstm_f32.* and lstm_f64.*: a recurrent language model as .mw text, its
cell a scan, with its weights and the losses of JAX's and optax's training of it
on the batches of make_gpt.py.

    pip install jax optax numpy
    python make_lstm.py

lstm_DTYPE.mw, lstm_DTYPE.safetensors   the model
lstm_DTYPE_losses.npy                   the loss of each step, before its update
"""
import json
import struct

import jax
import jax.numpy as jnp
import numpy as np
import optax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")

SIZES = dict(batch=6, seq=12, vocab=50, d_model=10, gates=4, hidden=14)
SHAPES = dict(wte="vocab d_model", w="d_model gates hidden",
              r="state gates hidden", b="gates hidden", out="hidden vocab")
LR = 1e-2
STEPS = {"f32": 30, "f64": 10}
NUMPY = {"f32": np.float32, "f64": np.float64}

TEXT = """model lstm_{t}
dim batch = {batch}
dim seq = {seq}
dim vocab = {vocab}
dim d_model = {d_model}
dim gates = {gates}
dim hidden = {hidden}
dim state = {hidden} of hidden by alias
body cell
dim batch = {batch}
dim gates = {gates}
dim hidden = {hidden}
dim state = {hidden} of hidden by alias
input h : {t}[batch, hidden]
input c : {t}[batch, hidden]
input x : {t}[batch, gates, hidden]
input r : {t}[state, gates, hidden]
hk = rename(h) : {t}[batch, state]
hr = einsum(hk, r) : {t}[batch, gates, hidden]
z = add(x, hr) : {t}[batch, gates, hidden]
zi = slice(z, dim=gates, start=0, step=1, count=1) : {t}[batch, hidden]
zf = slice(z, dim=gates, start=1, step=1, count=1) : {t}[batch, hidden]
zg = slice(z, dim=gates, start=2, step=1, count=1) : {t}[batch, hidden]
zo = slice(z, dim=gates, start=3, step=1, count=1) : {t}[batch, hidden]
i = sigmoid(zi) : {t}[batch, hidden]
f = sigmoid(zf) : {t}[batch, hidden]
g = tanh(zg) : {t}[batch, hidden]
o = sigmoid(zo) : {t}[batch, hidden]
fc = mul(f, c) : {t}[batch, hidden]
ig = mul(i, g) : {t}[batch, hidden]
c2 = add(fc, ig) : {t}[batch, hidden]
tc = tanh(c2) : {t}[batch, hidden]
h2 = mul(o, tc) : {t}[batch, hidden]
result h2, c2, h2
end
input ids : i64[batch, seq]
const zero : {t}[batch, hidden] = fill 0
{params}
e = gather(wte, ids, dim=vocab) : {t}[batch, seq, d_model]
ew = einsum(e, w) : {t}[seq, batch, gates, hidden]
ewb = add(ew, b) : {t}[seq, batch, gates, hidden]
h_last, c_last, hs = scan(zero, zero, ewb, r, body=cell, carries=2, dim=seq) : \
{t}[batch, hidden], {t}[batch, hidden], {t}[seq, batch, hidden]
logits = einsum(hs, out) : {t}[batch, seq, vocab]
output logits
"""


def shape(name):
    sizes = dict(SIZES, state=SIZES["hidden"])
    return [sizes[d] for d in SHAPES[name].split()]


def initial(dtype):
    rng = np.random.default_rng(6)
    return {name: (0.3 * rng.standard_normal(shape(name))).astype(
        np.float32).astype(NUMPY[dtype]) for name in SHAPES}


def logits(p, ids):
    x = jnp.einsum("bsd,dgh->sbgh", p["wte"][ids], p["w"]) + p["b"]
    zero = jnp.zeros((ids.shape[0], SIZES["hidden"]), x.dtype)

    def cell(carry, x):
        h, c = carry
        z = x + jnp.einsum("bk,kgh->bgh", h, p["r"])
        i, f, g, o = (z[:, n] for n in range(4))
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    _, hs = jax.lax.scan(cell, (zero, zero), x)
    return jnp.einsum("sbh,hv->bsv", hs, p["out"])


def loss(p, ids, labels):
    return optax.softmax_cross_entropy_with_integer_labels(
        logits(p, ids), labels).mean()


def train(dtype, ids, labels):
    p = {k: jnp.asarray(v) for k, v in initial(dtype).items()}
    adam = optax.adam(LR)
    state = adam.init(p)
    b = SIZES["batch"]

    @jax.jit
    def step(p, state, ids, labels):
        value, grad = jax.value_and_grad(loss)(p, ids, labels)
        update, state = adam.update(grad, state, p)
        return optax.apply_updates(p, update), state, value

    losses = []
    for k in range(STEPS[dtype]):
        rows = slice(k * b, (k + 1) * b)
        p, state, value = step(p, state, ids[rows], labels[rows])
        losses.append(float(value))
    return np.array(losses)


def save(path, arrays):
    header, at = {}, 0
    for name, a in arrays.items():
        header[name] = {"dtype": {"f4": "F32", "f8": "F64"}[a.dtype.str[1:]],
                        "shape": a.shape, "data_offsets": [at, at + a.nbytes]}
        at += a.nbytes
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for a in arrays.values():
            f.write(a.tobytes())


def main():
    data = np.load("gpt_batches.npz")
    for t in STEPS:
        save(f"lstm_{t}.safetensors", initial(t))
        params = "\n".join(
            f"param {name} : {t}[{', '.join(dims.split())}] = "
            f'"lstm_{t}.safetensors:{name}"' for name, dims in SHAPES.items())
        with open(f"lstm_{t}.mw", "w") as f:
            f.write(TEXT.format(t=t, params=params, **SIZES))
        np.save(f"lstm_{t}_losses.npy", train(t, data["ids"], data["labels"]))


main()
