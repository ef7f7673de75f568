"""Makes gpt_f32.* and gpt_f64.*: a GPT of four layers as .mw text with its
weights, batches of tokens, and the losses of JAX's and optax's training of it.

    pip install jax optax numpy
    python make_gpt.py

gpt_DTYPE.mw, gpt_DTYPE.safetensors   the model
gpt_batches.npz                       ids, labels: a batch a step, in order
gpt_DTYPE_losses.npy                  the loss of each step, before its update
gpt_DTYPE_greedy.npy                  tokens that the model goes on with after
                                      "!+.", the likeliest each time
"""
import json
import struct

import jax
import jax.numpy as jnp
import numpy as np
import optax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")

SIZES = dict(batch=6, seq=12, vocab=50, d_model=24, heads=3, d_head=8, d_ff=48)
LAYERS, LR, EPS, NEVER = 4, 3e-3, 1e-5, -1e9
STEPS = {"f32": 50, "f64": 10}
NUMPY = {"f32": np.float32, "f64": np.float64}
SHAPES = dict(
    wte="vocab d_model", wpe="seq d_model", g="d_model", b="d_model",
    wq="d_model heads d_head", wk="d_model heads d_head",
    wv="d_model heads d_head", wo="heads d_head d_model",
    w1="d_model d_ff", b1="d_ff", w2="d_ff d_model", b2="d_model")
LAYER = ["g1:g", "b1:b", "wq:wq", "wk:wk", "wv:wv", "wo:wo", "g2:g", "b2:b",
         "w1:w1", "c1:b1", "w2:w2", "c2:b2"]


def params():
    """Names and dims, in the order of the file."""
    yield "wte", SHAPES["wte"]
    yield "wpe", SHAPES["wpe"]
    for i in range(LAYERS):
        for item in LAYER:
            name, shape = item.split(":")
            yield f"h{i}.{name}", SHAPES[shape]
    yield "gf", SHAPES["g"]
    yield "bf", SHAPES["b"]


def initial(dtype):
    rng = np.random.default_rng(5)
    out = {}
    for name, dims in params():
        shape = [SIZES[d] for d in dims.split()]
        last = name.split(".")[-1]
        value = (0.07 if name == "wte" else 0.2) * rng.standard_normal(shape)
        if last in ("g1", "g2", "gf"):
            value += 1
        # the same numbers in both precisions
        out[name] = value.astype(np.float32).astype(NUMPY[dtype])
    return out


# ---- JAX ----

def norm(x, g, b):
    mean = x.mean(-1, keepdims=True)
    d = x - mean
    return d / jnp.sqrt((d * d).mean(-1, keepdims=True) + EPS) * g + b


def gelu(x):
    return 0.5 * x * (1 + jnp.tanh(np.sqrt(2 / np.pi).item()
                                   * (x + 0.044715 * x * x * x)))


def logits(p, ids):
    s = ids.shape[1]
    x = p["wte"][ids] + p["wpe"]
    mask = np.tril(np.ones((s, s), bool))
    for i in range(LAYERS):
        w = {k[len(f"h{i}."):]: v for k, v in p.items()
             if k.startswith(f"h{i}.")}
        n = norm(x, w["g1"], w["b1"])
        q, k, v = (jnp.einsum("bsd,dhe->bshe", n, w[c])
                   for c in ("wq", "wk", "wv"))
        a = jnp.einsum("bshe,bthe->bhst", q, k) / np.sqrt(
            SIZES["d_head"]).item()
        a = jax.nn.softmax(jnp.where(mask, a, NEVER), -1)
        o = jnp.einsum("bhst,bthe->bshe", a, v)
        x = x + jnp.einsum("bshe,hed->bsd", o, w["wo"])
        n = norm(x, w["g2"], w["b2"])
        h = gelu(n @ w["w1"] + w["c1"])
        x = x + h @ w["w2"] + w["c2"]
    return jnp.einsum("bsd,vd->bsv", norm(x, p["gf"], p["bf"]), p["wte"])


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


def greedy(dtype, n):
    p, s = initial(dtype), SIZES["seq"]
    tokens = [ord(c) for c in "!+."]
    step = jax.jit(logits)
    for _ in range(n):
        last = tokens[-s:]
        ids = np.array([last + [0] * (s - len(last))])
        tokens.append(int(step(p, ids)[0, len(last) - 1].argmax()))
    return np.array(tokens[3:])


# ---- the same model as text ----

class Text:
    def __init__(self, dtype):
        self.t = dtype
        self.lines, self.n = [], 0

    def op(self, name, call, dims, dtype=None):
        dims = ", ".join(dims.split())
        self.lines.append(f"{name} = {call} : {dtype or self.t}[{dims}]")
        return name

    def norm(self, at, x, g, b):
        tok, all_ = "batch seq", "batch seq d_model"
        s = self.op(f"{at}.sum", f"reduce_sum({x})", tok)
        m = self.op(f"{at}.mean", f"div({s}, width)", tok)
        d = self.op(f"{at}.d", f"sub({x}, {m})", all_)
        dd = self.op(f"{at}.dd", f"mul({d}, {d})", all_)
        s = self.op(f"{at}.sum2", f"reduce_sum({dd})", tok)
        v = self.op(f"{at}.var", f"div({s}, width)", tok)
        v = self.op(f"{at}.eps", f"add({v}, eps)", tok)
        v = self.op(f"{at}.dev", f"sqrt({v})", tok)
        y = self.op(f"{at}.y", f"div({d}, {v})", all_)
        y = self.op(f"{at}.g", f"mul({y}, {g})", all_)
        return self.op(f"{at}.out", f"add({y}, {b})", all_)

    def gelu(self, at, x):
        ff = "batch seq d_ff"
        y = self.op(f"{at}.x2", f"mul({x}, {x})", ff)
        y = self.op(f"{at}.x3", f"mul({y}, {x})", ff)
        y = self.op(f"{at}.c3", f"mul({y}, cubic)", ff)
        y = self.op(f"{at}.in", f"add({x}, {y})", ff)
        y = self.op(f"{at}.scaled", f"mul({y}, slope)", ff)
        y = self.op(f"{at}.tanh", f"tanh({y})", ff)
        y = self.op(f"{at}.one", f"add({y}, one)", ff)
        h = self.op(f"{at}.half", f"mul({x}, half)", ff)
        return self.op(f"{at}.out", f"mul({h}, {y})", ff)

    def layer(self, i, x):
        p, tok = f"h{i}", "batch seq d_model"
        n = self.norm(f"{p}.n1", x, f"{p}.g1", f"{p}.b1")
        for c in "qkv":
            self.op(f"{p}.{c}", f"einsum({n}, {p}.w{c})",
                    "batch seq heads d_head")
        for c in "kv":
            self.op(f"{p}.{c}t", f"rename({p}.{c})",
                    "batch past heads d_head")
        a, score = f"{p}.att", "batch heads seq past"
        y = self.op(f"{a}.qk", f"einsum({p}.q, {p}.kt)", score)
        y = self.op(f"{a}.scaled", f"div({y}, root)", score)
        y = self.op(f"{a}.masked", f"where(mask, {y}, never)", score)
        m = self.op(f"{a}.max", f"reduce_max({y})", "batch heads seq")
        y = self.op(f"{a}.sub", f"sub({y}, {m})", score)
        e = self.op(f"{a}.exp", f"exp({y})", score)
        s = self.op(f"{a}.sum", f"reduce_sum({e})", "batch heads seq")
        y = self.op(f"{a}.p", f"div({e}, {s})", score)
        y = self.op(f"{a}.o", f"einsum({y}, {p}.vt)",
                    "batch seq heads d_head")
        y = self.op(f"{a}.out", f"einsum({y}, {p}.wo)", tok)
        x = self.op(f"{a}.res", f"add({x}, {y})", tok)
        n = self.norm(f"{p}.n2", x, f"{p}.g2", f"{p}.b2")
        y = self.op(f"{p}.f1", f"einsum({n}, {p}.w1)", "batch seq d_ff")
        y = self.op(f"{p}.f1b", f"add({y}, {p}.c1)", "batch seq d_ff")
        y = self.gelu(f"{p}.gelu", y)
        y = self.op(f"{p}.f2", f"einsum({y}, {p}.w2)", tok)
        y = self.op(f"{p}.f2b", f"add({y}, {p}.c2)", tok)
        return self.op(f"{p}.out", f"add({x}, {y})", tok)


def model(dtype):
    t = Text(dtype)
    file = f"gpt_{dtype}.safetensors"
    out = [f"model gpt_{dtype}"]
    out += [f"dim {k} = {v}" for k, v in SIZES.items()]
    out += [f"dim past = {SIZES['seq']} of seq by alias",
            "input ids : i64[batch, seq]"]
    for name, dims in params():
        dims = ", ".join(dims.split())
        out.append(f'param {name} : {dtype}[{dims}] = "{file}:{name}"')
    consts = dict(width=SIZES["d_model"], eps=EPS, one=1, half=0.5,
                  cubic=0.044715, slope=np.sqrt(2 / np.pi).item(),
                  root=np.sqrt(SIZES["d_head"]).item(), never=NEVER)
    for name, value in consts.items():
        out.append(f"const {name} : {dtype}[] = {{{value!r}}}")
    out.append(f'const mask : bool[seq, past] = "{file}:mask"')
    x = t.op("emb", "gather(wte, ids, dim=vocab)", "batch seq d_model")
    x = t.op("x0", f"add({x}, wpe)", "batch seq d_model")
    for i in range(LAYERS):
        x = t.layer(i, x)
    x = t.norm("nf", x, "gf", "bf")
    t.op("logits", f"einsum({x}, wte)", "batch seq vocab")
    return "\n".join(out + t.lines + ["output logits", ""])


def safetensors(path, arrays):
    names = {"float32": "F32", "float64": "F64", "bool": "BOOL"}
    header, offset = {}, 0
    for name, a in arrays.items():
        header[name] = dict(dtype=names[str(a.dtype)], shape=list(a.shape),
                            data_offsets=[offset, offset + a.nbytes])
        offset += a.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for a in arrays.values():
            f.write(a.tobytes())


def main():
    rng = np.random.default_rng(6)
    n = SIZES["batch"] * max(STEPS.values())
    tokens = rng.integers(0, SIZES["vocab"], (n, SIZES["seq"] + 1))
    # something to learn: most tokens follow from the one before
    for k in range(SIZES["seq"]):
        follows = rng.random(n) < 0.7
        tokens[follows, k + 1] = (3 * tokens[follows, k] + 1) % SIZES["vocab"]
    ids = tokens[:, :-1].astype(np.int64)
    labels = tokens[:, 1:].astype(np.int64)
    np.savez_compressed("gpt_batches.npz", ids=ids, labels=labels)
    s = SIZES["seq"]
    for dtype in STEPS:
        arrays = initial(dtype)
        arrays["mask"] = np.tril(np.ones((s, s), bool))
        safetensors(f"gpt_{dtype}.safetensors", arrays)
        with open(f"gpt_{dtype}.mw", "w") as f:
            f.write(model(dtype))
        losses = train(dtype, ids, labels)
        np.save(f"gpt_{dtype}_losses.npy", losses)
        np.save(f"gpt_{dtype}_greedy.npy", greedy(dtype, 20))
        print(dtype, losses)
        np.savez_compressed(f"gpt_{dtype}_logits.npz", ids=ids[:s // 2],
                            logits=np.asarray(logits(initial(dtype),
                                                     ids[:s // 2])))


main()
