/* SPDX-License-Identifier: Apache-2.0 */
/* Running a program: one poll() loop feeds it, listens to it, and waits. */

#include "libfs/hook/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_time.h>

#include "libfs/base/buffer.h"

/* How long outputs may stay open after the program's end. */
#define LINGER apr_time_from_msec(100)
/* From SIGTERM to SIGKILL. */
#define GRACE apr_time_from_msec(500)
/* Looking whether it has ended: ever more seldom. */
#define FIRST_NAP 100
#define LONGEST_NAP apr_time_from_msec(50)
#define READ_SIZE 16384

/* One of the outputs on its way to us. */
typedef struct drain_t {
    int fd;              /* our end; -1: closed, or not kept */
    fs_buffer_t *buffer; /* at most `max` bytes */
    apr_size_t max;
    apr_uint64_t lost;
} drain_t;

/* A run from its preparation to its end. */
typedef struct job_t {
    const fs_run_t *run;
    int input;      /* our end of its standard input; -1: nothing to tell */
    int child[3];   /* its ends; -1: the null device */
    apr_size_t fed; /* bytes of the input that were written */
    drain_t output;
    drain_t errors;
    pid_t pid;
    bool ended;
    int status;          /* of waitpid(), when it has ended */
    apr_time_t deadline; /* of the next step against it; 0: none */
    int signals;         /* steps taken */
} job_t;

/* --- pipes ---------------------------------------------------------------- */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* A descriptor above those that the child's ones are copied over. */
static int above_standard(int fd)
{
    int higher;

    if (fd > 2)
        return fd;
    higher = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return higher;
}

static bool set_flags(int fd)
{
#if !HAVE_PIPE2
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return false;
#endif
    return fd >= 0;
}

/* A pipe that no other program inherits; our end does not block. */
static fs_error_t *make_pipe(int *ours, int *theirs, bool we_write)
{
    int ends[2];
    int result;

#if HAVE_PIPE2
    result = pipe2(ends, O_CLOEXEC);
#else
    result = pipe(ends);
#endif
    if (result < 0)
        return FS_ERROR_APR(errno, "cannot make a pipe");
    *ours = above_standard(ends[we_write ? 1 : 0]);
    *theirs = above_standard(ends[we_write ? 0 : 1]);
    if (!set_flags(*ours) || !set_flags(*theirs) ||
        fcntl(*ours, F_SETFL, O_NONBLOCK) < 0)
        return FS_ERROR_APR(errno, "cannot prepare a pipe");
    return NULL;
}

static fs_error_t *make_drain(drain_t *drain, int *theirs, apr_size_t max,
                              apr_pool_t *pool)
{
    drain->max = max;
    drain->buffer = fs_buffer_create(0, pool);
    return make_pipe(&drain->fd, theirs, false);
}

/* Write what fits; the end is closed after the last byte, or when nobody reads
 * any more. */
static void feed(job_t *job)
{
    const fs_bytes_t *input = &job->run->input;

    while (job->input >= 0 && job->fed < input->len) {
        ssize_t n =
            write(job->input, input->data + job->fed, input->len - job->fed);

        if (n >= 0)
            job->fed += (apr_size_t)n;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            return;
        else if (errno != EINTR)
            break;
    }
    close_fd(&job->input);
}

static void keep(drain_t *drain, const char *data, apr_size_t len)
{
    apr_size_t room = drain->max - drain->buffer->len;
    apr_size_t kept = len < room ? len : room;

    fs_buffer_append(drain->buffer, data, kept);
    drain->lost += len - kept;
}

/* Read once; at the end of the stream the descriptor is closed. */
static void listen_to(drain_t *drain)
{
    char data[READ_SIZE];
    ssize_t n = read(drain->fd, data, sizeof(data));

    if (n > 0)
        keep(drain, data, (apr_size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        close_fd(&drain->fd);
}

static fs_error_t *prepare(job_t *job, apr_pool_t *pool)
{
    const fs_run_t *run = job->run;

    FS_TRY(make_drain(&job->errors, &job->child[2], run->kept_max, pool));
    if (run->keep_output)
        FS_TRY(make_drain(&job->output, &job->child[1], run->kept_max, pool));
    if (run->input.len == 0)
        return NULL;
    FS_TRY(make_pipe(&job->input, &job->child[0], true));
    /* It can be read from before there is a reader: mostly that is all. */
    feed(job);
    return NULL;
}

static void release(job_t *job)
{
    int i;

    close_fd(&job->input);
    close_fd(&job->output.fd);
    close_fd(&job->errors.fd);
    for (i = 0; i < 3; i++)
        close_fd(&job->child[i]);
}

/* --- start ---------------------------------------------------------------- */

static int redirect(posix_spawn_file_actions_t *actions, const job_t *job)
{
    int i, failed = 0;

    for (i = 0; i < 3 && !failed; i++)
        failed =
            job->child[i] >= 0
                ? posix_spawn_file_actions_adddup2(actions, job->child[i], i)
                : posix_spawn_file_actions_addopen(actions, i, "/dev/null",
                                                   i ? O_WRONLY : O_RDONLY, 0);
#if HAVE_SPAWN_CLOSEFROM
    /* What others opened carelessly; elsewhere close-on-exec has to do. */
    if (!failed)
        failed = posix_spawn_file_actions_addclosefrom_np(actions, 3);
#endif
    return failed;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    int failed;

    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    failed = posix_spawnattr_setsigmask(attributes, &none);
    if (!failed)
        failed = posix_spawnattr_setsigdefault(attributes, &all);
    if (!failed)
        failed = posix_spawnattr_setpgroup(attributes, 0);
    if (!failed)
        failed = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                            POSIX_SPAWN_SETPGROUP);
    return failed;
}

/* The constness of the strings is lost in the standard's prototype only. */
static char *const *as_vector(const char *const *strings)
{
    union {
        const char *const *in;
        char *const *out;
    } cast = { strings };

    return cast.out;
}

/* Returns 0 or an errno. posix_spawn() tells whether the program was executed,
 * and copies no memory of a big process. */
static int start(job_t *job)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);

    if (failed)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = redirect(&actions, job);
        if (!failed)
            failed = set_attributes(&attributes);
        if (!failed)
            failed = posix_spawn(&job->pid, job->run->argv[0], &actions,
                                 &attributes, as_vector(job->run->argv),
                                 as_vector(job->run->env));
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* --- SIGPIPE -------------------------------------------------------------- */

/*
 * Writing to a program that does not read raises SIGPIPE in this thread. It is
 * blocked meanwhile and taken out again, whatever the process does with it.
 */
typedef struct pipe_guard_t {
    sigset_t mask;    /* of before */
    bool was_pending; /* before: that one is not ours */
} pipe_guard_t;

static bool sigpipe_is_pending(void)
{
    sigset_t pending;

    sigemptyset(&pending);
    sigpending(&pending);
    return sigismember(&pending, SIGPIPE) == 1;
}

static sigset_t only_sigpipe(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

static void guard_pipe(pipe_guard_t *guard)
{
    sigset_t set = only_sigpipe();

    pthread_sigmask(SIG_BLOCK, &set, &guard->mask);
    guard->was_pending = sigpipe_is_pending();
}

static void unguard_pipe(const pipe_guard_t *guard)
{
    sigset_t set = only_sigpipe();
    int number;

    if (!guard->was_pending && sigpipe_is_pending())
        (void)sigwait(&set, &number);
    pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
}

/* --- waiting -------------------------------------------------------------- */

static bool outputs_are_closed(const job_t *job)
{
    return job->output.fd < 0 && job->errors.fd < 0;
}

/* Has it ended? Its group is killed while its number cannot be another's. */
static fs_error_t *look(job_t *job)
{
    siginfo_t info;
    pid_t found;

    memset(&info, 0, sizeof(info));
    if (job->signals) {
        if (waitid(P_PID, (id_t)job->pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
                0 &&
            info.si_pid == 0)
            return NULL;
        kill(-job->pid, SIGKILL);
    }
    do {
        found = waitpid(job->pid, &job->status, WNOHANG);
    } while (found < 0 && errno == EINTR);
    if (found < 0)
        return FS_ERROR_APR(errno, "cannot learn how '%s' ended",
                            job->run->argv[0]);
    job->ended = found == job->pid;
    return NULL;
}

/* Its time is up: ask it to end, then make it. */
static void press(job_t *job, apr_time_t now)
{
    kill(-job->pid, job->signals ? SIGKILL : SIGTERM);
    job->deadline = job->signals ? 0 : now + GRACE;
    job->signals++;
}

static void add(struct pollfd *fds, nfds_t *count, int fd, short events)
{
    if (fd < 0)
        return;
    fds[*count].fd = fd;
    fds[*count].events = events;
    fds[*count].revents = 0;
    (*count)++;
}

static bool is_ready(const struct pollfd *fds, nfds_t count, int fd)
{
    nfds_t i;

    for (i = 0; i < count; i++)
        if (fds[i].fd == fd)
            return fds[i].revents != 0;
    return false;
}

/* Feed and listen to it, or sleep for so long. Returns if anything was done. */
static bool attend(job_t *job, apr_interval_time_t nap)
{
    struct pollfd fds[3];
    nfds_t count = 0;

    add(fds, &count, job->input, POLLOUT);
    add(fds, &count, job->output.fd, POLLIN);
    add(fds, &count, job->errors.fd, POLLIN);
    if (!count) {
        apr_sleep(nap);
        return false;
    }
    if (poll(fds, count, (int)((nap + 999) / 1000)) <= 0)
        return false;
    if (job->input >= 0 && is_ready(fds, count, job->input))
        feed(job);
    if (job->output.fd >= 0 && is_ready(fds, count, job->output.fd))
        listen_to(&job->output);
    if (job->errors.fd >= 0 && is_ready(fds, count, job->errors.fd))
        listen_to(&job->errors);
    return true;
}

/* Until it has ended. */
static fs_error_t *accompany(job_t *job)
{
    apr_interval_time_t nap = FIRST_NAP;

    if (job->run->timeout > 0)
        job->deadline = apr_time_now() + job->run->timeout;
    for (;;) {
        apr_interval_time_t left = nap;

        FS_TRY(look(job));
        if (job->ended)
            return NULL;
        if (job->deadline) {
            apr_time_t now = apr_time_now();

            if (now >= job->deadline) {
                press(job, now);
                continue;
            }
            if (left > job->deadline - now)
                left = job->deadline - now;
        }
        if (attend(job, left))
            continue;
        nap = nap * 2 < LONGEST_NAP ? nap * 2 : LONGEST_NAP;
    }
}

/* What it wrote at last is in the pipes; its children may go on writing. */
static void hear_out(job_t *job)
{
    apr_time_t until = apr_time_now() + LINGER;

    close_fd(&job->input);
    while (!outputs_are_closed(job)) {
        apr_time_t now = apr_time_now();

        if (now >= until)
            return;
        (void)attend(job, until - now);
    }
}

static fs_run_output_t heard(const drain_t *drain)
{
    fs_run_output_t output;

    memset(&output, 0, sizeof(output));
    if (drain->buffer) {
        output.kept = fs_buffer_bytes(drain->buffer);
        output.lost = drain->lost;
    }
    return output;
}

static void conclude(fs_run_result_t *out, const job_t *job)
{
    int status = job->status;

    out->end = FS_RUN_EXITED;
    out->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (WIFSIGNALED(status)) {
        out->end = FS_RUN_KILLED;
        out->code = WTERMSIG(status);
#ifdef WCOREDUMP
        out->dumped = WCOREDUMP(status) != 0;
#endif
    }
    if (job->signals)
        out->end = FS_RUN_TIMED_OUT;
    out->output = heard(&job->output);
    out->errors = heard(&job->errors);
}

static fs_error_t *start_and_wait(fs_run_result_t *out, job_t *job)
{
    int failed = start(job);
    int i;

    if (failed == EAGAIN || failed == ENOMEM || failed == EMFILE ||
        failed == ENFILE)
        return FS_ERROR_APR(failed, "cannot start '%s'", job->run->argv[0]);
    if (failed) {
        out->end = FS_RUN_NOT_STARTED;
        out->code = failed;
        return NULL;
    }
    for (i = 0; i < 3; i++)
        close_fd(&job->child[i]);
    if (job->input >= 0) {
        pipe_guard_t guard;
        fs_error_t *err;

        guard_pipe(&guard);
        err = accompany(job);
        unguard_pipe(&guard);
        FS_TRY(err);
    } else {
        FS_TRY(accompany(job));
    }
    hear_out(job);
    conclude(out, job);
    return NULL;
}

fs_error_t *fs_run_program(fs_run_result_t *out, const fs_run_t *run,
                           apr_pool_t *result)
{
    job_t job;
    fs_error_t *err;
    int i;

    memset(out, 0, sizeof(*out));
    memset(&job, 0, sizeof(job));
    job.run = run;
    job.input = job.output.fd = job.errors.fd = -1;
    for (i = 0; i < 3; i++)
        job.child[i] = -1;
    err = prepare(&job, result);
    if (!err)
        err = start_and_wait(out, &job);
    release(&job);
    return err;
}
