/* watch.c - preloaded into a rank, counts by itself what a plan's steps hand
 * to MPI and allocate, between the two calls of MPI_Pcontrol.
 *
 * At the end it writes "$MW_WATCH.RANK": one line
 *     windows bytes other_calls allocations
 * where other_calls are MPI calls that move data in another way than the one
 * that is counted, and allocations inside MPI's own calls do not count. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *block);

static struct {
    int open; /* within a window */
    long n_windows, n_other;
    long long bytes;
    long n_allocations;
    void *first; /* who allocated first */
} seen;
static __thread int inside; /* an MPI call */

static void allocated(void *who)
{
    if (!seen.open || inside)
        return;
    if (__atomic_fetch_add(&seen.n_allocations, 1, __ATOMIC_RELAXED) == 0)
        seen.first = who;
}

EXPORT void *malloc(size_t size)
{
    allocated(__builtin_return_address(0));
    return __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
    allocated(__builtin_return_address(0));
    return __libc_calloc(count, size);
}

EXPORT void *realloc(void *block, size_t size)
{
    allocated(__builtin_return_address(0));
    return __libc_realloc(block, size);
}

EXPORT void *aligned_alloc(size_t align, size_t size)
{
    allocated(__builtin_return_address(0));
    return __libc_memalign(align, size);
}

EXPORT int posix_memalign(void **block, size_t align, size_t size)
{
    allocated(__builtin_return_address(0));
    *block = __libc_memalign(align, size);
    return *block ? 0 : 12;
}

EXPORT int MPI_Pcontrol(const int level, ...)
{
    seen.open = level != 0;
    seen.n_windows += level != 0;
    return MPI_SUCCESS;
}

EXPORT int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest,
                     int tag, MPI_Comm comm, MPI_Request *request)
{
    int size = 0;
    inside++;
    PMPI_Type_size(type, &size);
    if (seen.open)
        seen.bytes += (long long)count * size;
    int code = PMPI_Isend(buf, count, type, dest, tag, comm, request);
    inside--;
    return code;
}

EXPORT int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source,
                     int tag, MPI_Comm comm, MPI_Request *request)
{
    inside++;
    int code = PMPI_Irecv(buf, count, type, source, tag, comm, request);
    inside--;
    return code;
}

EXPORT int MPI_Waitall(int count, MPI_Request request[], MPI_Status status[])
{
    inside++;
    int code = PMPI_Waitall(count, request, status);
    inside--;
    return code;
}

EXPORT int MPI_Testall(int count, MPI_Request request[], int *flag,
                       MPI_Status status[])
{
    inside++;
    int code = PMPI_Testall(count, request, flag, status);
    inside--;
    return code;
}

EXPORT int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag,
                      MPI_Status *status)
{
    inside++;
    int code = PMPI_Iprobe(source, tag, comm, flag, status);
    inside--;
    return code;
}

/* Calls that would move data unseen. */
EXPORT int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest,
                    int tag, MPI_Comm comm)
{
    seen.n_other += seen.open;
    return PMPI_Send(buf, count, type, dest, tag, comm);
}

EXPORT int MPI_Start(MPI_Request *request)
{
    seen.n_other += seen.open;
    return PMPI_Start(request);
}

EXPORT int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root,
                     MPI_Comm comm)
{
    seen.n_other += seen.open;
    return PMPI_Bcast(buf, count, type, root, comm);
}

EXPORT int MPI_Allreduce(const void *in, void *out, int count,
                         MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    seen.n_other += seen.open;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

EXPORT int MPI_Allgather(const void *in, int n_in, MPI_Datatype in_type,
                         void *out, int n_out, MPI_Datatype out_type,
                         MPI_Comm comm)
{
    seen.n_other += seen.open;
    return PMPI_Allgather(in, n_in, in_type, out, n_out, out_type, comm);
}

static void tell(int rank)
{
    const char *name = getenv("MW_WATCH");
    char path[4096];
    if (!name)
        return;
    (void)snprintf(path, sizeof path, "%s.%d", name, rank);
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    Dl_info who = {0};
    if (seen.first)
        (void)dladdr(seen.first, &who);
    (void)fprintf(file, "%ld %lld %ld %ld %s %s\n", seen.n_windows, seen.bytes,
                  seen.n_other, seen.n_allocations,
                  who.dli_fname ? who.dli_fname : "-",
                  who.dli_sname ? who.dli_sname : "-");
    (void)fclose(file);
}

EXPORT int MPI_Finalize(void)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    tell(rank);
    return PMPI_Finalize();
}
