/*
 * schema.h - the store's tables, a migration a version. A migration that was
 * released is never edited: a change is the next one.
 */
#ifndef MW_DB_SCHEMA_H
#define MW_DB_SCHEMA_H

/* Migration i brings user_version from i to i + 1. */
extern const char *const mw_migration[];

#endif
