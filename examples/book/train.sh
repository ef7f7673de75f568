#!/bin/bash
# usage: train.sh [PYTHON]
# Trains a GPT over bytes on the King James Bible (1611, in the public domain;
# from Debian's package bible-kjv, which is installed) on two ranks, and lets it
# go on with a text. With a Python that has jax and optax, the same training is
# done by them too, from the same weights, and losses must agree within 1 %.
set -eu
cd "$(dirname "$0")/../.."
python=${1:-python3}
steps=200
out=build/book
model=(gpt --set layers=4 --set d_model=64 --set heads=4 --set vocab=256
    --set seq=64 --set batch=16)

tools/install_deps examples
[ -x build/meshwright ] || make -s
mkdir -p $out

# Shows a command, then runs it.
step() {
    printf '\n$ %s\n' "$*"
    "$@"
}

bible -f gen1:1-rev22:21 >$out/all.txt
tail -c 100000 $out/all.txt >$out/eval.txt
head -c -100000 $out/all.txt >$out/book.txt

step build/meshwright plan "${model[@]}" --mesh 2 --time-limit 20 \
    --train adam,lr=1e-3,schedule=cosine,warmup=20,steps=$steps,clip=1 \
    --loss cross-entropy -o $out/plan.json
step build/meshwright train $out/plan.json --data $out/book.txt --steps 0 \
    --checkpoint $out/start
step build/meshwright train $out/plan.json --data $out/book.txt \
    --steps $steps --resume $out/start --checkpoint $out/trained \
    --eval $out/eval.txt --metrics $out/losses.jsonl
step build/meshwright generate $out/plan.json --checkpoint $out/trained \
    --prompt 'And God said' --tokens 100 --temperature 0.7

if "$python" -c 'import jax, optax' 2>/dev/null; then
    step "$python" examples/book/jax_losses.py $out/book.txt \
        $out/start/checkpoint.safetensors $out/losses.jsonl
else
    echo "no jax and optax in $python: losses are not compared"
fi
