/* launch.c - forks mpirun, reads its standard error line by line, and sees it
 * to its end. */
#include "runtime/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "runtime/job_folder.h"

enum {
    LINE_MAX_BYTES = 4096,
    POLL_MS = 200,
    PATIENCE_S = 5, /* from SIGTERM to SIGKILL */
    REPEAT_S = 1,   /* from one wish to stop to the next */
    BANNER_MIN = 40 /* dashes that mpirun frames its words with */
};

/* What mpirun is told, unless the user's environment says otherwise. */
static const char *const settings[] = {
    "OMPI_ALLOW_RUN_AS_ROOT=1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
    "OMPI_MCA_rmaps_base_oversubscribe=1",
    "OMPI_MCA_mpi_yield_when_idle=1",
    "OMPI_MCA_pml=ob1",
    "OMPI_MCA_btl=self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism=none",
    "OMPI_MCA_hwloc_base_binding_policy=none",
    "OMPI_MCA_mpi_warn_on_fork=0",
    "OMPI_MCA_plm=isolated",
    "OMPI_MCA_mpi_preconnect_mpi=1",
    "PMIX_MCA_gds=hash",
    "OPENBLAS_NUM_THREADS=1",
};
enum { N_SETTINGS = sizeof settings / sizeof settings[0], N_FOLDERS = 3 };

// The first of the environment's numbers that is positive, else 0.
static int64_t number_in(const char *const names[])
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        long number = text ? strtol(text, NULL, 10) : 0;
        if (number > 0)
            return number;
    }
    return 0;
}

bool mw_job_inside(int64_t *ranks)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                        NULL};
    int64_t number = number_in(names);
    if (number > 0)
        *ranks = number;
    return number > 0;
}

int64_t mw_job_local(int64_t ranks)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE",
                                        "MPI_LOCALNRANKS", NULL};
    int64_t number = number_in(names);
    return number > 0 ? number : ranks;
}

// Cores that a process may use; 0 stands for this one.
static int64_t cores_of(pid_t process)
{
    cpu_set_t set;
    if (sched_getaffinity(process, sizeof set, &set) == 0 &&
        CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return process == 0 && n > 0 ? n : 1;
}

// A launcher may bind each rank to cores of its own; it is bound to none of
// them, and has all that it gives away.
int64_t mw_job_cores(void)
{
    int64_t ranks, own = cores_of(0);
    int64_t all = mw_job_inside(&ranks) ? cores_of(getppid()) : own;
    return all > own ? all : own;
}

int64_t mw_job_threads(int64_t local)
{
    int64_t threads = mw_job_cores() / local, own = cores_of(0);
    if (threads > own)
        threads = own;
    if (threads > MW_JOB_THREADS_MAX)
        return MW_JOB_THREADS_MAX;
    return threads > 0 ? threads : 1;
}

bool mw_job_crowded(int64_t threads, int64_t local)
{
    return threads * local > mw_job_cores() || threads > cores_of(0);
}

/* A job that runs: its process, its folder, and what mpirun said of it. */
typedef struct running {
    mw_ctx *ctx;
    const mw_job *job;
    pid_t pid;
    int from[2]; /* its standard error and output; -1 once closed */
    mw_job_folder folder;
    char **env;
    char line[LINE_MAX_BYTES];
    size_t n_line;
    bool in_banner, framed;      /* now; ever: a rank has ended */
    bool spoke;                  /* mpirun, of a rank's failure as a rule */
    char killed[LINE_MAX_BYTES]; /* mpirun's line about a killed rank */
    bool asked, forced;          /* to end */
    double asked_s;              /* when last */
} running;

static bool same_name(const char *a, const char *b)
{
    size_t n = strcspn(a, "=");
    return strncmp(a, b, n + 1) == 0;
}

static bool in_environment(const char *setting)
{
    for (char **e = environ; *e; e++)
        if (same_name(setting, *e))
            return true;
    return false;
}

// The environment, our settings that it lacks, and the job's folder. One block
// holds the pointers and, behind them, the texts of the folder's settings.
static mw_status make_environment(running *r)
{
    size_t n = 0, text = 64 + MW_JOB_FOLDER_MAX;
    while (environ[n])
        n++;
    size_t slots = n + N_SETTINGS + N_FOLDERS + 1;
    char **env =
        mw_mem_alloc(r->ctx, slots * sizeof *env + N_FOLDERS * text, 1);
    if (!env)
        return MW_ENOMEM;
    char *texts = (char *)(env + slots);
    static const char *const folders[N_FOLDERS] = {
        "OMPI_MCA_btl_vader_backing_directory",
        "OMPI_MCA_osc_sm_backing_directory", "OMPI_MCA_orte_tmpdir_base"};
    size_t used = n;
    memcpy(env, environ, n * sizeof *env);
    for (int i = 0; i < N_SETTINGS; i++)
        if (!in_environment(settings[i]))
            env[used++] = (char *)(uintptr_t)settings[i];
    for (int i = 0; i < N_FOLDERS; i++) {
        env[used] = texts + (size_t)i * text;
        (void)snprintf(env[used++], text, "%s=%s", folders[i], r->folder.path);
    }
    r->env = env;
    return MW_OK;
}

// In the child, between fork and exec: only what is safe there.
static void become_mpirun(running *r, char *const argv[], const int to[2])
{
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)setpgid(0, 0);
    int null = open("/dev/null", O_RDONLY);
    if (null >= 0)
        (void)dup2(null, STDIN_FILENO);
    (void)dup2(to[0], STDERR_FILENO);
    (void)dup2(to[1], STDOUT_FILENO);
    (void)execvpe(argv[0], argv, r->env);
    static const char sorry[] = "mpirun cannot be started\n";
    ssize_t n = write(STDERR_FILENO, sorry, sizeof sorry - 1);
    _exit(n > 0 ? 127 : 126);
}

static void close_end(int *end)
{
    if (*end >= 0)
        (void)close(*end);
    *end = -1;
}

static mw_status open_pipes(running *r, int to[2])
{
    for (int i = 0; i < 2; i++)
        r->from[i] = to[i] = -1;
    for (int i = 0; i < 2; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            return mw_fail(r->ctx, MW_ERUN, "no pipe to mpirun: %s",
                           strerror(errno));
        r->from[i] = ends[0];
        to[i] = ends[1];
    }
    return MW_OK;
}

static mw_status start(running *r, char *const argv[])
{
    int to[2];
    mw_status status = open_pipes(r, to);
    if (status == MW_OK) {
        (void)fflush(stdout);
        r->pid = fork();
        if (r->pid == 0)
            become_mpirun(r, argv, to);
        if (r->pid < 0)
            status = mw_fail(r->ctx, MW_ERUN, "mpirun cannot be started: %s",
                             strerror(errno));
    }
    for (int i = 0; i < 2; i++) {
        close_end(&to[i]);
        if (status != MW_OK)
            close_end(&r->from[i]);
    }
    return status;
}

static bool is_frame(const char *line)
{
    return strspn(line, "-") >= BANNER_MIN;
}

// mpirun frames what it says with dashes, and its parts begin lines with
// "[host:pid]"; the rest is the ranks'.
static void take_line(running *r)
{
    const char *line = r->line;
    bool frame = is_frame(line);
    bool own = r->in_banner || frame || line[0] == '[' ||
               strncmp(line, "mpirun", 6) == 0;
    if (strstr(line, "process rank ") && strstr(line, "signal"))
        (void)snprintf(r->killed, sizeof r->killed, "%s", line);
    if (frame)
        r->in_banner = !r->in_banner;
    r->framed = r->framed || frame;
    r->spoke = r->spoke || own;
    if (!own || r->job->debug)
        (void)fprintf(stderr, "%s\n", line);
}

static void take(running *r, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '\n' && r->n_line + 1 < sizeof r->line) {
            r->line[r->n_line++] = bytes[i];
            continue;
        }
        r->line[r->n_line] = '\0';
        r->n_line = 0;
        take_line(r);
        if (bytes[i] != '\n')
            r->line[r->n_line++] = bytes[i];
    }
}

// Our own standard output is written here and not by mpirun, which says nothing
// of a full disk; the stream keeps the failure.
static void take_output(running *r, const char *bytes, size_t n)
{
    if (r->job->output) {
        mw_text_add_bytes(r->job->output, bytes, n);
        return;
    }
    size_t written = fwrite(bytes, 1, n, stdout);
    if (written == n)
        (void)fflush(stdout);
}

static void ask(running *r)
{
    r->asked = true;
    r->asked_s = mw_clock_s();
    (void)kill(r->pid, r->job->saves ? MW_JOB_STOP_SIGNAL : SIGTERM);
}

// Passes on the wish to stop, with patience. mpirun passes it on to the ranks
// that it has; what comes while it still starts them is lost, so that a job
// that saves is told again, until a rank ends.
static void pass_stop(running *r)
{
    if (!mw_stopped(r->ctx))
        return;
    double waited_s = mw_clock_s() - r->asked_s;
    bool again = r->job->saves && !r->framed && waited_s > REPEAT_S;
    if (!r->asked || again) {
        ask(r);
    } else if (!r->forced && !r->job->saves && waited_s > PATIENCE_S) {
        r->forced = true;
        (void)kill(-r->pid, SIGKILL);
    }
}

// Reads what there is; false once nobody writes to that pipe any more.
static bool read_some(running *r, int i)
{
    char bytes[LINE_MAX_BYTES];
    ssize_t n = read(r->from[i], bytes, sizeof bytes);
    if (n > 0 && i == 0)
        take(r, bytes, (size_t)n);
    if (n > 0 && i == 1)
        take_output(r, bytes, (size_t)n);
    return n > 0 || (n < 0 && errno == EINTR);
}

// Reads until nobody writes any more, or mpirun has ended: a stray process
// may keep a pipe open for ever.
static bool read_all(running *r, int *status)
{
    while (r->from[0] >= 0 || r->from[1] >= 0) {
        pass_stop(r);
        struct pollfd fd[2] = {{.fd = r->from[0], .events = POLLIN},
                               {.fd = r->from[1], .events = POLLIN}};
        int ready = poll(fd, 2, POLL_MS);
        if (ready == 0 && waitpid(r->pid, status, WNOHANG) == r->pid)
            return true;
        for (int i = 0; i < 2 && ready > 0; i++)
            if (fd[i].fd >= 0 && fd[i].revents && !read_some(r, i))
                close_end(&r->from[i]);
    }
    return false;
}

static int see_to_end(running *r)
{
    int status = 0;
    bool ended = read_all(r, &status);
    if (r->n_line)
        take(r, "\n", 1);
    while (!ended) {
        pass_stop(r);
        pid_t got = waitpid(r->pid, &status, WNOHANG);
        ended = got == r->pid || (got < 0 && errno != EINTR);
        if (!ended)
            (void)poll(NULL, 0, POLL_MS / 10);
    }
    for (int i = 0; i < 2; i++)
        close_end(&r->from[i]);
    return status;
}

// The number behind `word` in mpirun's line, -1 when there is none.
static long number_after(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    return at ? strtol(at + strlen(word), NULL, 10) : -1;
}

// Ranks that save end with the signal they are told to stop with, or by it
// before they listen; else they have failed.
static bool failed_to_save(const running *r, int status)
{
    if (!r->job->saves)
        return false;
    if (r->killed[0])
        return number_after(r->killed, "signal ") != MW_JOB_STOP_SIGNAL;
    if (!WIFEXITED(status))
        return WTERMSIG(status) != MW_JOB_STOP_SIGNAL;
    return WEXITSTATUS(status) != 0 &&
           WEXITSTATUS(status) != 128 + MW_JOB_STOP_SIGNAL;
}

static mw_status judge(running *r, int status, int *exit_status)
{
    mw_ctx_at(r->ctx, "%s", "");
    if (r->asked && !failed_to_save(r, status)) {
        *exit_status = 128 + (r->forced ? SIGKILL : SIGTERM);
        return MW_OK;
    }
    if (r->asked)
        mw_stop_forget(r->ctx);
    if (r->killed[0]) {
        long number = number_after(r->killed, "signal ");
        mw_ctx_at(r->ctx, "rank %ld", number_after(r->killed, "process rank "));
        return mw_fail(r->ctx, MW_ERUN, "ended by signal %ld (%s)", number,
                       number > 0 ? strsignal((int)number) : "unknown");
    }
    if (WIFSIGNALED(status))
        return mw_fail(r->ctx, MW_ERUN, "mpirun was ended by signal %d (%s)",
                       WTERMSIG(status), strsignal(WTERMSIG(status)));
    *exit_status = WEXITSTATUS(status);
    if (*exit_status >= 126)
        return mw_fail(r->ctx, MW_ERUN,
                       "mpirun cannot be started, wanted on the path\n"
                       "Debian's package openmpi-bin has it");
    if (*exit_status != 0 && !r->spoke)
        return mw_fail(r->ctx, MW_ERUN,
                       "mpirun was stopped: it ended with status %d, of no "
                       "rank",
                       *exit_status);
    return MW_OK;
}

static mw_status run(running *r, char *const argv[], int *exit_status)
{
    MW_TRY(mw_job_folder_open(r->ctx, &r->folder));
    MW_TRY(make_environment(r));
    MW_TRY(start(r, argv));
    return judge(r, see_to_end(r), exit_status);
}

mw_status mw_job_run(mw_ctx *ctx, const mw_job *job, int *exit_status)
{
    running r = {.ctx = ctx, .job = job};
    size_t n = 0;
    while (job->argv[n])
        n++;
    char ranks[24];
    (void)snprintf(ranks, sizeof ranks, "%lld", (long long)job->ranks);
    const char *const head[] = {"mpirun", "-n", ranks};
    enum { N_HEAD = sizeof head / sizeof head[0] };
    char **argv = mw_mem_alloc(ctx, n + N_HEAD + 1, sizeof *argv);
    if (!argv)
        return MW_ENOMEM;
    for (size_t i = 0; i < N_HEAD; i++)
        argv[i] = (char *)(uintptr_t)head[i];
    memcpy(argv + N_HEAD, job->argv, n * sizeof *argv);
    mw_status status = run(&r, argv, exit_status);
    mw_job_folder_close(&r.folder);
    mw_mem_free(r.env);
    mw_mem_free(argv);
    return status;
}
