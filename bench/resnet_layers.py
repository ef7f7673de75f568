# usage: resnet_layers.py PLAN BATCH TRACE...
# Where the time of a run goes beside ONNX Runtime's, by kinds of layers: the
# convolutions of one shape together. Ours are the least of the traces', its are
# those of its profile of the same model, here in this folder, on one thread.
import json, os, sys, collections
import numpy as np, onnxruntime as ort

plan, batch = json.load(open(sys.argv[1])), int(sys.argv[2])
traces = [json.load(open(path)) for path in sys.argv[3:]]
RUNS = 4


def key(weight, width):
    return "%dx%d, %d to %d channels, %d wide" % (
        weight[2], weight[3], weight[1], weight[0], width)


ours, theirs = collections.Counter(), collections.Counter()
flop = collections.Counter()
kind = {}
for op in plan["ops"]:
    if op["op"].startswith("conv"):
        weight = plan["tensors"][op["inputs"][1]]["shape"]
        out = plan["tensors"][op["outputs"][0]]["shape"]
        kind[op["name"]] = key(weight, out[-2])
        flop[kind[op["name"]]] += 2 * np.prod(out, dtype=float) * np.prod(weight[1:])
for events in zip(*[[e for e in t["traceEvents"] if e.get("ph") == "X"]
                   for t in traces]):
    name = events[0]["name"]
    if name.startswith("conv"):
        name = kind[events[0]["args"]["op"]]
    ours[name] += min(event["dur"] for event in events) / 1e3

options = ort.SessionOptions()
options.intra_op_num_threads = 1
options.enable_profiling = True
session = ort.InferenceSession("resnet50.onnx", options, providers=["CPUExecutionProvider"])
x = np.random.default_rng(1).normal(0, 1, (batch, 3, 224, 224)).astype(np.float32)
for _ in range(RUNS):
    session.run(None, {"x": x})
profile = session.end_profiling()
least = collections.defaultdict(list)
for event in json.load(open(profile)):
    if event.get("cat") != "Node" or not event["name"].endswith("_kernel_time"):
        continue
    args = event["args"]
    name = args["op_name"]
    if "Conv" in name:
        shapes = [list(s.values())[0] for s in args["input_type_shape"]]
        out = list(args["output_type_shape"][0].values())[0]
        name = key(shapes[1], out[3])
    least[event["name"], name].append(event["dur"] / 1e3)
for (_, name), durations in least.items():
    theirs[name] += min(durations)
os.remove(profile)

print("layers, batch %d, 1 thread: ours, ONNX Runtime's, GFLOP/s of ours" % batch)
for name, ms in sorted(ours.items(), key=lambda item: theirs[item[0]] - item[1]):
    beside = theirs.get(name)
    verdict = "" if beside is None else " loses" if ms > 1.1 * beside else ""
    print("  %8.2f ms  %s  %s  %s%s" % (
        ms, "       -" if beside is None else "%8.2f" % beside,
        "%6.1f" % (flop[name] / ms / 1e6) if flop[name] else "     -", name, verdict))
print("  %8.2f ms  %8.2f  in all" % (sum(ours.values()), sum(theirs.values())))
