/* gpt_onnx.c - nodes as lines of text, those of a layer once. */
#include "tests/gpt_onnx.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/onnx_text.h"
#include "tests/test.h"

enum { PATH = 512 };

static const char *const head[] = {
    "ir 8",
    "opset 17",
    "input ids int64 batch,seq",
    "output logits",
    "node Constant -> zero value_int=0",
    "node Constant -> one value_int=1",
    "node Constant -> half value_float:0.5",
    "node Constant -> axis0 value_ints=[0]",
    "node Constant -> minus1 value_ints=[-1]",
    "node Constant -> square value_float:2",
    "node Constant -> epsilon value_float:0.00001",
    "node Constant -> cubic value_float:0.044715",
    "node Constant -> root value_float:0.79788456",
    "node Constant -> unit value_float:1",
    "node Constant -> never value_float:-10000",
    "node Constant -> n_heads value_ints=[$H]",
    "node Constant -> d_head value_ints=[$K]",
    "node Constant -> d_model value_ints=[$D]",
    "node Constant -> scale value_float:0.125",
    "node Shape ids -> shape",
    "node Gather shape,zero -> batch axis=0",
    "node Gather shape,one -> length axis=0",
    "node Range zero,length,one -> places",
    "node Gather wte,ids -> token",
    "node Gather wpe,places -> place",
    "node Add token,place -> x0",
    "node Unsqueeze places,axis1 -> rows",
    "node Constant -> axis1 value_ints=[1]",
    "node GreaterOrEqual rows,places -> causal",
    NULL,
};

/* '#' is the layer's number, '@' the next one's; NORM is written out. */
static const char *const layer[] = {
    "NORM a# x#",
    "node MatMul a#.y,h#.attn.w -> qkv.m#",
    "node Add qkv.m#,h#.attn.b -> qkv#",
    "node Split qkv# -> q#,k#,v# axis=2",
    "node Shape q# -> q.shape#",
    "node Gather q.shape#,zero -> q.batch# axis=0",
    "node Gather q.shape#,one -> q.length# axis=0",
    "node Unsqueeze q.batch#,axis0 -> qb#",
    "node Unsqueeze q.length#,axis0 -> ql#",
    "node Concat qb#,ql#,n_heads,d_head -> to.heads# axis=0",
    "node Concat qb#,ql#,d_model -> to.model# axis=0",
    "node Reshape q#,to.heads# -> qh#",
    "node Reshape k#,to.heads# -> kh#",
    "node Reshape v#,to.heads# -> vh#",
    "node Transpose qh# -> qt# perm=[0,2,1,3]",
    "node Transpose kh# -> kt# perm=[0,2,3,1]",
    "node Transpose vh# -> vt# perm=[0,2,1,3]",
    "node MatMul qt#,kt# -> score#",
    "node Mul score#,scale -> scaled#",
    "node Where causal,scaled#,never -> masked#",
    "node Softmax masked# -> weight# axis=-1",
    "node MatMul weight#,vt# -> mix#",
    "node Transpose mix# -> mixt# perm=[0,2,1,3]",
    "node Reshape mixt#,to.model# -> merged#",
    "node MatMul merged#,h#.proj.w -> attn.m#",
    "node Add attn.m#,h#.proj.b -> attn#",
    "node Add x#,attn# -> z#",
    "NORM f# z#",
    "node MatMul f#.y,h#.fc.w -> fc.m#",
    "node Add fc.m#,h#.fc.b -> fc#",
    "node Mul fc#,half -> g.half#",
    "node Mul fc#,fc# -> g.square#",
    "node Mul g.square#,fc# -> g.cube#",
    "node Mul g.cube#,cubic -> g.term#",
    "node Add fc#,g.term# -> g.sum#",
    "node Mul g.sum#,root -> g.inner#",
    "node Tanh g.inner# -> g.tanh#",
    "node Add g.tanh#,unit -> g.one#",
    "node Mul g.half#,g.one# -> gelu#",
    "node MatMul gelu#,h#.out.w -> mlp.m#",
    "node Add mlp.m#,h#.out.b -> mlp#",
    "node Add z#,mlp# -> x@",
    NULL,
};

static const char *const norm[] = {
    "node ReduceMean % -> !.mean axes=[-1]",
    "node Sub %,!.mean -> !.diff",
    "node Pow !.diff,square -> !.square",
    "node ReduceMean !.square -> !.var axes=[-1]",
    "node Add !.var,epsilon -> !.vare",
    "node Sqrt !.vare -> !.dev",
    "node Div !.diff,!.dev -> !.unit",
    "node Mul !.unit,!.g -> !.scaled",
    "node Add !.scaled,!.b -> !.y",
    NULL,
};

typedef struct writer {
    const char *name;
    const gpt_sizes *sizes;
    mw_text text;
    int64_t offset; /* in the file of weights */
} writer;

/* '#' in it is the number. */
static void add_name(writer *w, const char *name, int n)
{
    for (; *name; name++)
        if (*name == '#')
            mw_text_format(&w->text, "%d", n);
        else
            mw_text_add_char(&w->text, *name);
}

static void add_weight(writer *w, const char *name, int n, int64_t rows,
                       int64_t columns)
{
    int64_t bytes = rows * columns * (int64_t)sizeof(float);
    mw_text_add(&w->text, "extern ");
    add_name(w, name, n);
    mw_text_add(&w->text, " float ");
    if (rows > 1)
        mw_text_format(&w->text, "%" PRId64 ",", rows);
    mw_text_format(&w->text, "%" PRId64 " %s.bin %" PRId64 " %" PRId64 "\n",
                   columns, w->name, w->offset, bytes);
    w->offset += bytes;
}

static void add_weights(writer *w)
{
    int64_t d = w->sizes->d_model;
    add_weight(w, "wte", 0, w->sizes->vocab, d);
    add_weight(w, "wpe", 0, w->sizes->positions, d);
    for (int n = 0; n < w->sizes->layers; n++) {
        add_weight(w, "a#.g", n, 1, d);
        add_weight(w, "a#.b", n, 1, d);
        add_weight(w, "h#.attn.w", n, d, 3 * d);
        add_weight(w, "h#.attn.b", n, 1, 3 * d);
        add_weight(w, "h#.proj.w", n, d, d);
        add_weight(w, "h#.proj.b", n, 1, d);
        add_weight(w, "f#.g", n, 1, d);
        add_weight(w, "f#.b", n, 1, d);
        add_weight(w, "h#.fc.w", n, d, 4 * d);
        add_weight(w, "h#.fc.b", n, 1, 4 * d);
        add_weight(w, "h#.out.w", n, 4 * d, d);
        add_weight(w, "h#.out.b", n, 1, d);
    }
    add_weight(w, "l.g", 0, 1, d);
    add_weight(w, "l.b", 0, 1, d);
    add_weight(w, "head", 0, d, w->sizes->vocab);
}

/* "NORM a# x#" of layer n: the result's name and the operand's. */
static void add_norm(writer *w, const char *out, const char *in, int n)
{
    for (int i = 0; norm[i]; i++) {
        for (const char *c = norm[i]; *c; c++) {
            const char *name = *c == '!' ? out : *c == '%' ? in : NULL;
            if (!name)
                mw_text_add_char(&w->text, *c);
            if (name)
                add_name(w, name, n);
        }
        mw_text_add(&w->text, "\n");
    }
}

static int64_t size_of(const writer *w, char letter)
{
    int64_t d = w->sizes->d_model;
    return letter == 'D'   ? d
           : letter == 'H' ? w->sizes->heads
                           : d / w->sizes->heads;
}

static void add_lines(writer *w, const char *const line[], int n)
{
    for (int i = 0; line[i]; i++) {
        char out[16], in[16];
        if (sscanf(line[i], "NORM %15s %15s", out, in) == 2) {
            add_norm(w, out, in, n);
            continue;
        }
        for (const char *c = line[i]; *c; c++) {
            if (*c == '#' || *c == '@')
                mw_text_format(&w->text, "%d", n + (*c == '@'));
            else if (*c == '$')
                mw_text_format(&w->text, "%" PRId64, size_of(w, *++c));
            else
                mw_text_add_char(&w->text, *c);
        }
        mw_text_add(&w->text, "\n");
    }
}

static bool make_sparse(const char *path, int64_t bytes)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0666);
    bool made = fd >= 0 && ftruncate(fd, (off_t)bytes) == 0;
    if (fd >= 0)
        (void)close(fd);
    return made;
}

bool gpt_onnx_write(const char *name, const gpt_sizes *sizes,
                    int64_t *graph_bytes, int64_t *weight_bytes)
{
    char path[PATH];
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    writer w = {.name = name, .sizes = sizes};
    mw_text_init(&w.text, &ctx);
    add_lines(&w, head, 0);
    add_weights(&w);
    for (int n = 0; n < sizes->layers; n++)
        add_lines(&w, layer, n);
    add_norm(&w, "l", "x#", sizes->layers);
    mw_text_add(&w.text, "node MatMul l.y,head -> logits\n");
    (void)snprintf(path, PATH, "%s/%s.bin", mw_scratch_path(), name);
    bool good = make_sparse(path, w.offset);
    (void)snprintf(path, PATH, "%s/%s.onnx", mw_scratch_path(), name);
    struct stat info = {0};
    good = good && onnx_text_file(path, w.text.data) && stat(path, &info) == 0;
    *graph_bytes = (int64_t)info.st_size;
    *weight_bytes = w.offset;
    mw_text_free(&w.text);
    mw_ctx_free(&ctx);
    return good;
}
