/* job_folder.c - makes, locks and removes the folders of jobs. */
#include "runtime/job_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* AGE_MIN_S: between the making and the lock a folder looks abandoned. */
enum { AGE_MIN_S = 10, RANDOM_LETTERS = 6, TREE_FILES = 16 };

static const char prefix[] = "meshwright-";

static int remove_one(const char *path, const struct stat *info, int flag,
                      struct FTW *ftw)
{
    (void)info;
    (void)flag;
    (void)ftw;
    (void)remove(path);
    return 0;
}

static void remove_tree(const char *path)
{
    (void)nftw(path, remove_one, TREE_FILES, FTW_DEPTH | FTW_PHYS);
}

// The lock on a folder, -1 when somebody has it or it is no folder.
static int lock_folder(const char *path)
{
    int lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        (void)close(lock);
        return -1;
    }
    return lock;
}

// "meshwright-PID-XXXXXX", as mw_job_folder_open makes them.
static bool is_job_name(const char *name)
{
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    const char *at = name + sizeof prefix - 1;
    size_t digits = strspn(at, "0123456789");
    return digits > 0 && at[digits] == '-' &&
           strlen(at + digits + 1) == RANDOM_LETTERS;
}

static void remove_abandoned(const char *path)
{
    int lock = lock_folder(path);
    struct stat info;
    if (lock < 0)
        return;
    if (fstat(lock, &info) == 0 && info.st_uid == geteuid() &&
        time(NULL) - info.st_mtime > AGE_MIN_S)
        remove_tree(path);
    (void)close(lock);
}

static void sweep(const char *parent)
{
    DIR *dir = opendir(parent);
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[MW_JOB_FOLDER_MAX];
        if (!is_job_name(entry->d_name))
            continue;
        int n = snprintf(path, sizeof path, "%s/%s", parent, entry->d_name);
        if (n > 0 && n < MW_JOB_FOLDER_MAX)
            remove_abandoned(path);
    }
    (void)closedir(dir);
}

mw_status mw_job_folder_open(mw_ctx *ctx, mw_job_folder *folder)
{
    const char *temp = getenv("TMPDIR");
    const char *const parents[] = {"/dev/shm", temp ? temp : "/tmp", "/tmp"};
    for (size_t i = 0; i < sizeof parents / sizeof parents[0]; i++) {
        sweep(parents[i]);
        int n = snprintf(folder->path, sizeof folder->path, "%s/%s%ld-XXXXXX",
                         parents[i], prefix, (long)getpid());
        if (n > 0 && n < MW_JOB_FOLDER_MAX && mkdtemp(folder->path)) {
            folder->lock = lock_folder(folder->path);
            return MW_OK;
        }
    }
    int failure = errno;
    folder->path[0] = '\0';
    return mw_fail(ctx, MW_ERUN,
                   "no folder for the job in /dev/shm or /tmp: %s",
                   strerror(failure));
}

void mw_job_folder_close(mw_job_folder *folder)
{
    if (folder->path[0] == '\0')
        return;
    remove_tree(folder->path);
    if (folder->lock >= 0)
        (void)close(folder->lock);
    folder->path[0] = '\0';
}
