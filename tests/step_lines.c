/* step_lines.c - reads and compares the lines of train. */
#include "tests/step_lines.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "tests/test.h"

void read_step_lines(mw_arena *arena, const char *text, step_lines *all)
{
    all->n = 0;
    while (*text && all->n < MAX_STEP_LINES) {
        size_t length = strcspn(text, "\n");
        const mw_json *root = NULL;
        int i = all->n++;
        bool good =
            mw_json_parse(arena, "line", text, length, &root) == MW_OK &&
            mw_json_get_int(arena->ctx, root, "step", &all->step[i]) == MW_OK &&
            mw_json_get_real(arena->ctx, root, "loss", &all->loss[i]) == MW_OK;
        CHECK(good, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

void same_losses(const char *what, const step_lines *got, const double want[],
                 int from, double tolerance)
{
    for (int i = 0; i < got->n; i++) {
        double a = got->loss[i], b = want[from + i];
        CHECK(got->step[i] == from + i + 1 &&
                  fabs(a - b) <= tolerance * fabs(b),
              "%s: step %lld: %.17g, wanted %.17g", what,
              (long long)got->step[i], a, b);
    }
}
