/* file.c - reading, mapping and atomic writing. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static mw_status cannot(mw_ctx *ctx, mw_status status, const char *what,
                        const char *path)
{
    int reason = errno;
    if (status == MW_ERUN)
        mw_stop_forget(ctx);
    mw_ctx_at(ctx, "%s", path);
    return mw_fail(ctx, status, "cannot be %s: %s", what, strerror(reason));
}

/* Opens for reading and refuses folders, which open() accepts; below 0 after
 * MW_EINPUT. */
static int open_read(mw_ctx *ctx, const char *path, struct stat *info)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, info) == 0 && !S_ISDIR(info->st_mode))
        return fd;
    if (fd >= 0 && S_ISDIR(info->st_mode))
        errno = EISDIR;
    (void)cannot(ctx, MW_EINPUT, "read", path);
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

/* Reads until the end into a buffer that doubles: a pipe has no size, and a
 * file may grow. */
static mw_status read_all(mw_arena *arena, const char *path, int fd,
                          size_t expected, char **bytes, size_t *size)
{
    size_t cap = expected + 1, length = 0;
    char *buf = mw_arena_alloc(arena, cap, 1);
    while (buf) {
        ssize_t n = read(fd, buf + length, cap - length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cannot(arena->ctx, MW_EINPUT, "read", path);
        length += (size_t)n;
        if (n == 0)
            break;
        if (length < cap)
            continue;
        char *grown = mw_arena_alloc(arena, cap, 2);
        if (grown)
            memcpy(grown, buf, length);
        buf = grown;
        cap *= 2;
    }
    if (!buf)
        return MW_ENOMEM;
    buf[length] = '\0';
    *bytes = buf;
    *size = length;
    return MW_OK;
}

mw_status mw_file_read(mw_arena *arena, const char *path, char **bytes,
                       size_t *size)
{
    struct stat info = {0};
    int fd = open_read(arena->ctx, path, &info);
    if (fd < 0)
        return MW_EINPUT;
    size_t expected = info.st_size > 0 ? (size_t)info.st_size : 4095;
    mw_status status = read_all(arena, path, fd, expected, bytes, size);
    (void)close(fd);
    return status;
}

mw_status mw_map_file_open(mw_ctx *ctx, const char *path, mw_map_file *map)
{
    struct stat info = {0};
    int fd = open_read(ctx, path, &info);
    if (fd < 0)
        return MW_EINPUT;
    if (!S_ISREG(info.st_mode)) {
        (void)close(fd);
        mw_ctx_at(ctx, "%s", path);
        return mw_fail(ctx, MW_EINPUT, "is no regular file");
    }
    mw_map_file mapped = {.size = (size_t)info.st_size};
    void *bytes = NULL;
    if (mapped.size)
        bytes = mmap(NULL, mapped.size, PROT_READ, MAP_PRIVATE, fd, 0);
    mw_status status = MW_OK;
    if (bytes == MAP_FAILED)
        status = cannot(ctx, MW_EINPUT, "mapped", path);
    (void)close(fd);
    if (status != MW_OK)
        return status;
    mapped.bytes = bytes;
    *map = mapped;
    return MW_OK;
}

void mw_map_file_close(mw_map_file *map)
{
    if (!map || !map->bytes)
        return;
    (void)munmap((void *)(uintptr_t)map->bytes, map->size);
    *map = (mw_map_file){0};
}

void mw_map_file_drop(const void *bytes, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = (uintptr_t)bytes / page * page;
    size_t length = size + (size_t)((uintptr_t)bytes - from);
    /* a failure keeps the memory and changes nothing else */
    (void)madvise((void *)from, length, MADV_DONTNEED);
}

/* The file that a name stands for: links are followed, so that writing does
 * not replace a link by a file. */
static char *resolve(mw_ctx *ctx, const char *path)
{
    char real[PATH_MAX];
    const char *target = realpath(path, real) ? real : path;
    size_t length = strlen(target) + 1;
    char *copy = mw_mem_alloc(ctx, length, 1);
    if (copy)
        memcpy(copy, target, length);
    return copy;
}

static char *temp_name(mw_ctx *ctx, const char *path)
{
    size_t length = strlen(path) + 32;
    char *temp = mw_mem_alloc(ctx, length, 1);
    if (temp)
        (void)snprintf(temp, length, "%s.%ld.tmp", path, (long)getpid());
    return temp;
}

mw_status mw_out_open(mw_ctx *ctx, const char *path, mw_out *out)
{
    mw_out opened = {.ctx = ctx, .path = resolve(ctx, path)};
    opened.temp = opened.path ? temp_name(ctx, opened.path) : NULL;
    mw_status status = MW_ENOMEM;
    if (!opened.temp)
        goto done;
    struct stat info;
    opened.straight = stat(opened.path, &info) == 0 && !S_ISREG(info.st_mode);
    int flags = opened.straight ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC;
    opened.fd = open(opened.straight ? opened.path : opened.temp,
                     flags | O_CLOEXEC, 0666);
    if (opened.fd < 0) {
        status = cannot(ctx, MW_ERUN, "written", path);
        goto done;
    }
    *out = opened;
    return MW_OK;
done:
    mw_mem_free(opened.temp);
    mw_mem_free(opened.path);
    return status;
}

mw_status mw_out_add(mw_out *out, const void *bytes, size_t size)
{
    const char *p = bytes;
    while (size) {
        ssize_t n = write(out->fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cannot(out->ctx, MW_ERUN, "written", out->path);
        p += n;
        size -= (size_t)n;
    }
    return MW_OK;
}

/* A rename is lasting once its folder is synced; not every file system can,
 * so its answer is not asked for. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= sizeof folder)
        return;
    memcpy(folder, path, length);
    folder[length] = '\0';
    int fd = open(length ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    (void)close(fd);
}

mw_status mw_out_commit(mw_out *out)
{
    if (!out->straight &&
        (fsync(out->fd) != 0 || rename(out->temp, out->path) != 0))
        return cannot(out->ctx, MW_ERUN, "written", out->path);
    if (!out->straight)
        sync_folder(out->path);
    out->straight = true;
    mw_out_close(out);
    return MW_OK;
}

void mw_out_close(mw_out *out)
{
    if (!out || !out->temp)
        return;
    (void)close(out->fd);
    if (!out->straight)
        (void)unlink(out->temp);
    mw_mem_free(out->temp);
    mw_mem_free(out->path);
    *out = (mw_out){0};
}

mw_status mw_folder_make(mw_ctx *ctx, const char *path)
{
    struct stat info;
    if (mkdir(path, 0777) == 0)
        return MW_OK;
    if (errno != EEXIST)
        return cannot(ctx, MW_ERUN, "made", path);
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
        access(path, W_OK | X_OK) == 0)
        return MW_OK;
    if (stat(path, &info) == 0 && !S_ISDIR(info.st_mode))
        errno = ENOTDIR;
    return cannot(ctx, MW_ERUN, "written", path);
}

bool mw_file_same(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

mw_status mw_file_write(mw_ctx *ctx, const char *path, const void *bytes,
                        size_t size)
{
    mw_out out;
    MW_TRY(mw_out_open(ctx, path, &out));
    mw_status status = mw_out_add(&out, bytes, size);
    if (status == MW_OK)
        status = mw_out_commit(&out);
    mw_out_close(&out);
    return status;
}

char *mw_path_beside(mw_arena *arena, const char *file, const char *name)
{
    int length = (int)(mw_path_name(file) - file);
    return mw_arena_format(arena, "%.*s%s", length, file, name);
}

const char *mw_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *mw_path_ext(const char *path)
{
    const char *name = mw_path_name(path);
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? dot : name + strlen(name);
}
