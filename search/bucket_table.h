/*
 * bucket_table.h - one table of an elimination: of the sum of some tables, the
 * least over their common fastest axis. For bucket*.c only.
 */
#ifndef MW_SEARCH_BUCKET_TABLE_H
#define MW_SEARCH_BUCKET_TABLE_H

#include "search/alike.h"

enum { MW_BUCKET_AXES = 62 };

typedef struct mw_bucket_part {
    int32_t table;
    uint64_t axes; /* bit i: it has axis i */
    int last;      /* of them; -1: none */
    const int64_t *value;
    int64_t at; /* of the entry that is looked at */
    int64_t step[MW_BUCKET_AXES];
} mw_bucket_part;

typedef struct mw_bucket_table {
    mw_alike *all;
    int32_t n;      /* of the axis that goes, the fastest of every part */
    int32_t n_axes; /* of the table, the slowest first */
    int64_t length[MW_BUCKET_AXES];
    mw_bucket_part *part;
    int32_t n_parts, cap_parts;
    int64_t *sum;   /* by axis and the entries of the one that goes */
    int64_t n_sum;  /* room there */
    int64_t n_made; /* entries worked out, of all tables so far */
} mw_bucket_table;

/* Empties the table and keeps its room. */
void mw_bucket_table_begin(mw_bucket_table *t, mw_alike *all, int32_t n);
void mw_bucket_table_axis(mw_bucket_table *t, int64_t length);
mw_status mw_bucket_table_add(mw_bucket_table *t, int32_t table,
                              uint64_t axes) MW_MUST_CHECK;

/* The number of the table, less its least entry. */
mw_status mw_bucket_table_make(mw_bucket_table *t, int32_t *made,
                               int64_t *least) MW_MUST_CHECK;

void mw_bucket_table_free(mw_bucket_table *t);

#endif
