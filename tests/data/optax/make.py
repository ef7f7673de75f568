"""Writes model.mw and trace.json: 20 steps of a small model under optax.

usage: python make.py        (JAX and optax; double precision)
"""
import json
import os

import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
import optax

STEPS = 20
HERE = os.path.dirname(os.path.abspath(__file__))
draw = np.random.default_rng(5)


def array(*shape):
    return np.round(draw.normal(size=shape), 3)


x, target = array(4, 3), array(4, 2)
start = {"w1": array(3, 8) * 0.5, "b1": array(8) * 0.1, "w2": array(4, 2, 2)}
scale = [round(1 + 0.5 * float(np.sin(t)), 6) for t in range(STEPS)]


def loss(p, s):
    a = jnp.tanh((x * s) @ p["w1"] + p["b1"]).reshape(4, 4, 2)
    y = jnp.einsum("bhk,hko->bo", a, p["w2"])
    return jnp.mean((y - target) ** 2)


def values(a):
    return "{" + ", ".join(repr(float(v)) for v in a.ravel()) + "}"


MODEL = f"""model small
dim batch = 4
dim in = 3
dim h = 4
dim k = 2
dim out = 2
input s : f64[]
const x : f64[batch, in] = {values(x)}
const target : f64[batch, out] = {values(target)}
param w1 : f64[in, (h k)] = {values(start["w1"])}
param b1 : f64[(h k)] = {values(start["b1"])}
param w2 : f64[h, k, out] = {values(start["w2"])}
const n : f64[] = {{8}}
xs = mul(x, s) : f64[batch, in]
z = einsum(xs, w1) : f64[batch, h, k]
c = add(z, b1) : f64[batch, h, k]
a = tanh(c) : f64[batch, h, k]
y = einsum(a, w2) : f64[batch, out]
d = sub(y, target) : f64[batch, out]
q = mul(d, d) : f64[batch, out]
total = reduce_sum(q) : f64[]
error = div(total, n) : f64[]
output y
output error
"""


def linear(lr, warmup, steps, end=0.0):
    return optax.join_schedules(
        [optax.linear_schedule(0.0, lr, warmup),
         optax.linear_schedule(lr, end, steps - warmup)], [warmup])


def inverse_sqrt(lr, warmup):
    def rate(t):
        t = jnp.asarray(t, jnp.float64)
        return jnp.where(t < warmup, lr * t / warmup,
                         lr * jnp.sqrt(warmup / jnp.maximum(t, warmup)))
    return rate


def multi(tx, k):
    return optax.MultiSteps(tx, k, accumulator_dtype=jnp.float64)


ADAFACTOR = dict(min_dim_size_to_factor=2)
CASES = {
    "sgd,lr=0.1": optax.sgd(0.1),
    "momentum,lr=0.05": optax.sgd(0.05, momentum=0.9),
    "momentum,lr=0.05,momentum=0.8,nesterov=1":
        optax.sgd(0.05, momentum=0.8, nesterov=True),
    "adam,lr=0.02": optax.adam(0.02),
    "adam,lr=0.02,b1=0.8,b2=0.95,eps=1e-6,eps_root=1e-7":
        optax.adam(0.02, b1=0.8, b2=0.95, eps=1e-6, eps_root=1e-7),
    "adamw,lr=0.02": optax.adamw(0.02),
    "adamw,lr=0.02,weight_decay=0.1": optax.adamw(0.02, weight_decay=0.1),
    "adafactor,lr=0.1": optax.adafactor(0.1),
    "adafactor,lr=0.1,min_dim_size_to_factor=2":
        optax.adafactor(0.1, **ADAFACTOR),
    "adafactor,lr=0.1,min_dim_size_to_factor=2,momentum=0.9,"
    "weight_decay_rate=0.01,clipping_threshold=0.5":
        optax.adafactor(0.1, momentum=0.9, weight_decay_rate=0.01,
                        clipping_threshold=0.5, **ADAFACTOR),
    "adafactor,lr=0.02,multiply_by_parameter_scale=0":
        optax.adafactor(0.02, multiply_by_parameter_scale=False),
    "adam,lr=0.02,schedule=linear,steps=15":
        optax.adam(optax.linear_schedule(0.02, 0.0, 15)),
    "adam,lr=0.02,schedule=linear,warmup=5,steps=18,end=0.001":
        optax.adam(linear(0.02, 5, 18, 0.001)),
    "adam,lr=0.02,schedule=cosine,steps=15":
        optax.adam(optax.cosine_decay_schedule(0.02, 15)),
    "adam,lr=0.02,schedule=cosine,warmup=4,steps=16,end=0.002,init=0.001":
        optax.adam(optax.warmup_cosine_decay_schedule(
            0.001, 0.02, 4, 16, 0.002)),
    "adam,lr=0.02,schedule=constant,warmup=6":
        optax.adam(optax.linear_schedule(0.0, 0.02, 6)),
    "sgd,lr=0.2,schedule=inverse-sqrt,warmup=4":
        optax.sgd(inverse_sqrt(0.2, 4)),
    "sgd,lr=0.1,clip=0.5":
        optax.chain(optax.clip_by_global_norm(0.5), optax.sgd(0.1)),
    "adam,lr=0.02,clip=1.5":
        optax.chain(optax.clip_by_global_norm(1.5), optax.adam(0.02)),
    "sgd,lr=0.1,accumulate=4": multi(optax.sgd(0.1), 4),
    "adafactor,lr=0.1,accumulate=2": multi(optax.adafactor(0.1), 2),
    "adamw,lr=0.05,schedule=cosine,warmup=2,steps=6,clip=0.5,accumulate=3":
        multi(optax.chain(
            optax.clip_by_global_norm(0.5),
            optax.adamw(optax.warmup_cosine_decay_schedule(
                0.0, 0.05, 2, 6))), 3),
}

def trace(tx):
    p = {k: jnp.asarray(v) for k, v in start.items()}
    state, losses = tx.init(p), []
    for s in scale:
        value, g = jax.value_and_grad(loss)(p, s)
        updates, state = tx.update(g, state, p)
        p = optax.apply_updates(p, updates)
        losses.append(float(value))
    return losses, {k: np.asarray(v).ravel().tolist() for k, v in p.items()}


def main():
    cases = []
    for options, tx in CASES.items():
        losses, weights = trace(tx)
        cases.append({"train": options, "losses": losses, "weights": weights})
    with open(os.path.join(HERE, "model.mw"), "w") as f:
        f.write(MODEL)
    with open(os.path.join(HERE, "trace.json"), "w") as f:
        json.dump({"made_with": {"jax": jax.__version__,
                                 "optax": optax.__version__},
                   "scale": scale, "cases": cases}, f, indent=0)
        f.write("\n")


main()
