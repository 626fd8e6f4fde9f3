/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/hook/run.h with shell scripts. */

#include "libfs/hook/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apr_strings.h>
#include <apr_time.h>

#include "tests/support/repo.h"
#include "tests/support/unit.h"

#define SECOND apr_time_from_sec(1)

static const char *const no_env[] = { NULL };

/* A script of these lines that can be executed. */
static const char *script(const char *lines, apr_pool_t *pool)
{
    const char *text = apr_pstrcat(
        pool, "#!/bin/sh\nPATH=/bin:/usr/bin\nexport PATH\n", lines, NULL);
    const char *path = fs_test_file(text, strlen(text), pool);

    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

/* A run of a script with nothing special. */
static fs_run_t run_of(const char *lines, const char **argv, apr_pool_t *pool)
{
    fs_run_t run;

    memset(&run, 0, sizeof(run));
    argv[0] = script(lines, pool);
    run.argv = argv;
    run.env = no_env;
    run.kept_max = 65536;
    return run;
}

static fs_run_result_t run_script(const char *lines, apr_pool_t *pool)
{
    const char *argv[] = { NULL, "one", "", "three 'x'", NULL };
    fs_run_t run = run_of(lines, argv, pool);
    fs_run_result_t end;

    run.keep_output = true;
    assert_fs_ok(fs_run_program(&end, &run, pool));
    return end;
}

static void assert_kept(fs_run_output_t output, const char *expected)
{
    assert_bytes_equal(output.kept.data, output.kept.len, expected,
                       strlen(expected));
    assert_int_equal(output.lost, 0);
}

static void outputs_and_exit_code_are_told(void **state)
{
    fs_run_result_t end =
        run_script("echo out; echo err >&2; exit 7", unit_pool(state));

    assert_int_equal(end.end, FS_RUN_EXITED);
    assert_int_equal(end.code, 7);
    assert_kept(end.output, "out\n");
    assert_kept(end.errors, "err\n");
}

static void arguments_arrive_as_they_are(void **state)
{
    fs_run_result_t end =
        run_script("for i; do echo \"<$i>\"; done", unit_pool(state));

    assert_int_equal(end.code, 0);
    assert_kept(end.output, "<one>\n<>\n<three 'x'>\n");
}

static void the_first_argument_is_the_file(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *argv[] = { NULL, NULL };
    fs_run_t run = run_of("echo $0", argv, pool);
    fs_run_result_t end;

    run.keep_output = true;
    assert_fs_ok(fs_run_program(&end, &run, pool));
    assert_kept(end.output, apr_pstrcat(pool, argv[0], "\n", NULL));
}

static void the_environment_is_what_is_given(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    static const char *const env[] = { "A=1 2", "B=", NULL };
    const char *argv[] = { "/usr/bin/env", NULL };
    fs_run_t run;
    fs_run_result_t end;

    memset(&run, 0, sizeof(run));
    run.argv = argv;
    run.env = env;
    run.keep_output = true;
    run.kept_max = 100;
    assert_fs_ok(fs_run_program(&end, &run, pool));
    assert_kept(end.output, "A=1 2\nB=\n");
    run.env = no_env;
    assert_fs_ok(fs_run_program(&end, &run, pool));
    assert_kept(end.output, "");
}

static void without_input_there_is_nothing_to_read(void **state)
{
    fs_run_result_t end = run_script("cat; echo end", unit_pool(state));

    assert_kept(end.output, "end\n");
}

static fs_bytes_t big_input(apr_size_t len, apr_pool_t *pool)
{
    char *data = apr_palloc(pool, len);
    fs_bytes_t bytes = { data, len };

    memset(data, 'x', len);
    return bytes;
}

static fs_run_result_t run_with_input(const char *lines, apr_size_t len,
                                      apr_pool_t *pool)
{
    const char *argv[] = { NULL, NULL };
    fs_run_t run = run_of(lines, argv, pool);
    fs_run_result_t end;

    run.input = big_input(len, pool);
    run.keep_output = true;
    assert_fs_ok(fs_run_program(&end, &run, pool));
    return end;
}

static void input_of_any_length_arrives(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_kept(run_with_input("wc -c", 1, pool).output, "1\n");
    assert_kept(run_with_input("wc -c", 65536, pool).output, "65536\n");
    assert_kept(run_with_input("wc -c", 10000000, pool).output, "10000000\n");
    assert_kept(run_with_input("wc -c < /dev/stdin", 100, pool).output,
                "100\n");
}

static void input_that_nobody_reads_does_no_harm(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_run_result_t end = run_with_input("exit 3", 10000000, pool);

    assert_int_equal(end.end, FS_RUN_EXITED);
    assert_int_equal(end.code, 3);
    end = run_with_input("exec <&-; sleep 0.1; exit 4", 10000000, pool);
    assert_int_equal(end.code, 4);
    end = run_with_input("head -c 5; exit 5", 10000000, pool);
    assert_int_equal(end.code, 5);
    assert_kept(end.output, "xxxxx");
}

static volatile sig_atomic_t pipe_signals;

static void count_signal(int number)
{
    (void)number;
    pipe_signals++;
}

static void no_sigpipe_reaches_the_process(void **state)
{
    struct sigaction action, before;

    memset(&action, 0, sizeof(action));
    action.sa_handler = count_signal;
    pipe_signals = 0;
    assert_int_equal(sigaction(SIGPIPE, &action, &before), 0);
    (void)run_with_input("exec <&-; sleep 0.1", 10000000, unit_pool(state));
    assert_int_equal(sigaction(SIGPIPE, &before, NULL), 0);
    assert_int_equal(pipe_signals, 0);
}

static void input_and_output_flow_at_once(void **state)
{
    fs_run_result_t end =
        run_with_input("tee /dev/stderr", 3000000, unit_pool(state));

    assert_int_equal(end.code, 0);
    assert_int_equal(end.output.kept.len, 65536);
    assert_int_equal(end.output.lost, 3000000 - 65536);
    assert_int_equal(end.errors.kept.len, 65536);
    assert_int_equal(end.errors.lost, 3000000 - 65536);
}

static void output_that_is_not_kept_is_dropped(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *argv[] = { NULL, NULL };
    fs_run_t run = run_of("head -c 1000000 /dev/zero; echo e >&2", argv, pool);
    fs_run_result_t end;

    assert_fs_ok(fs_run_program(&end, &run, pool));
    assert_int_equal(end.code, 0);
    assert_int_equal(end.output.kept.len, 0);
    assert_kept(end.errors, "e\n");
}

static void death_by_a_signal_is_told(void **state)
{
    fs_run_result_t end =
        run_script("echo last >&2; kill -9 $$", unit_pool(state));

    assert_int_equal(end.end, FS_RUN_KILLED);
    assert_int_equal(end.code, SIGKILL);
    assert_false(end.dumped);
    assert_kept(end.errors, "last\n");
}

static void a_run_that_takes_too_long_is_ended_with_its_children(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *argv[] = { NULL, NULL };
    const char *pids = fs_test_file("", 0, pool);
    fs_run_t run = run_of(
        apr_psprintf(pool, "sleep 100 & echo $! > %s; echo x >&2; sleep 100",
                     pids),
        argv, pool);
    apr_time_t start = apr_time_now();
    fs_run_result_t end;
    FILE *file;
    int child = 0, i;

    run.timeout = apr_time_from_msec(400);
    assert_fs_ok(fs_run_program(&end, &run, pool));
    assert_int_equal(end.end, FS_RUN_TIMED_OUT);
    assert_true(apr_time_now() - start >= run.timeout);
    assert_true(apr_time_now() - start < 30 * SECOND);
    assert_kept(end.errors, "x\n");
    file = fopen(pids, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &child), 1);
    fclose(file);
    for (i = 0; i < 100 && kill(child, 0) == 0; i++)
        apr_sleep(apr_time_from_msec(20));
    /* Without anybody who waits for orphans a zombie may stay. */
    if (kill(child, 0) == 0) {
        const char *name = apr_psprintf(pool, "/proc/%d/cmdline", child);

        file = fopen(name, "r");
        if (file) {
            assert_int_equal(fgetc(file), EOF);
            fclose(file);
        }
    }
}

static void who_ignores_the_request_to_end_is_killed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *argv[] = { NULL, NULL };
    fs_run_t run =
        run_of("trap '' TERM; while :; do sleep 1; done", argv, pool);
    fs_run_result_t end;

    run.timeout = apr_time_from_msec(300);
    assert_fs_ok(fs_run_program(&end, &run, pool));
    assert_int_equal(end.end, FS_RUN_TIMED_OUT);
}

static void a_run_in_time_is_not_ended(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *argv[] = { NULL, NULL };
    fs_run_t run = run_of("exec 2>&-; sleep 0.2; exit 9", argv, pool);
    fs_run_result_t end;

    run.timeout = 60 * SECOND;
    assert_fs_ok(fs_run_program(&end, &run, pool));
    assert_int_equal(end.end, FS_RUN_EXITED);
    assert_int_equal(end.code, 9);
}

static void children_left_behind_are_not_waited_for(void **state)
{
    apr_time_t start = apr_time_now();
    fs_run_result_t end = run_script(
        "(trap '' HUP; sleep 40; echo late >&2) & echo early >&2; exit 2",
        unit_pool(state));

    assert_int_equal(end.end, FS_RUN_EXITED);
    assert_int_equal(end.code, 2);
    assert_kept(end.errors, "early\n");
    assert_true(apr_time_now() - start < 30 * SECOND);
}

static void children_that_write_for_ever_are_not_heard_for_ever(void **state)
{
    apr_time_t start = apr_time_now();
    fs_run_result_t end =
        run_script("(while :; do echo y; done >&2) & exit 0", unit_pool(state));

    assert_int_equal(end.end, FS_RUN_EXITED);
    assert_true(apr_time_now() - start < 30 * SECOND);
}

static fs_run_result_t run_file(const char *text, int mode, apr_pool_t *pool)
{
    const char *argv[] = { NULL, NULL };
    fs_run_t run;
    fs_run_result_t end;

    memset(&run, 0, sizeof(run));
    argv[0] = fs_test_file(text, strlen(text), pool);
    assert_int_equal(chmod(argv[0], (mode_t)mode), 0);
    run.argv = argv;
    run.env = no_env;
    assert_fs_ok(fs_run_program(&end, &run, pool));
    return end;
}

static void what_cannot_be_started_is_told_with_the_reason(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_run_result_t end = run_file("#!/bin/sh\n", 0644, pool);

    assert_int_equal(end.end, FS_RUN_NOT_STARTED);
    assert_int_equal(end.code, EACCES);
    end = run_file("#!/no/such\n", 0755, pool);
    assert_int_equal(end.end, FS_RUN_NOT_STARTED);
    assert_int_equal(end.code, ENOENT);
    end = run_file("exit 4\n", 0755, pool);
    assert_int_equal(end.end, FS_RUN_NOT_STARTED);
    assert_int_equal(end.code, ENOEXEC);
}

static void arguments_that_are_too_long_are_told(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *argv[] = { NULL, NULL, NULL };
    fs_run_t run = run_of("exit 0", argv, pool);
    char *longest = apr_pcalloc(pool, 3000001);
    fs_run_result_t end;

    memset(longest, 'a', 3000000);
    argv[1] = longest;
    assert_fs_ok(fs_run_program(&end, &run, pool));
    assert_int_equal(end.end, FS_RUN_NOT_STARTED);
    assert_int_equal(end.code, E2BIG);
}

static void descriptors_of_the_process_are_not_inherited(void **state)
{
    int fd = open("/dev/null", O_RDONLY); /* on purpose without O_CLOEXEC */
    fs_run_result_t end;

    assert_true(fd > 2);
    end =
        run_script("ls /proc/$$/fd | sort -n | tr '\\n' ' '", unit_pool(state));
    close(fd);
    /* A shell may keep its script open as 10 or above. */
    assert_memory_equal(end.output.kept.data, "0 1 2 ", 6);
    assert_null(strstr(end.output.kept.data + 6,
                       apr_psprintf(unit_pool(state), "%d ", fd)));
}

static void signals_are_as_at_the_start_of_a_program(void **state)
{
    sigset_t some, before;
    fs_run_result_t ignored, blocked;

    (void)signal(SIGUSR1, SIG_IGN);
    sigemptyset(&some);
    sigaddset(&some, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &some, &before);
    ignored = run_script("kill -USR1 $$; exit 0", unit_pool(state));
    blocked = run_script("kill -USR2 $$; exit 0", unit_pool(state));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)signal(SIGUSR1, SIG_DFL);
    assert_int_equal(ignored.end, FS_RUN_KILLED);
    assert_int_equal(ignored.code, SIGUSR1);
    assert_int_equal(blocked.end, FS_RUN_KILLED);
    assert_int_equal(blocked.code, SIGUSR2);
}

static void a_run_has_a_process_group_of_its_own(void **state)
{
    fs_run_result_t end =
        run_script("set -- $(cat /proc/$$/stat); test $5 = $$ && echo own",
                   unit_pool(state));

    assert_kept(end.output, "own\n");
}

static int open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void many_runs_leave_nothing_behind(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *argv[] = { NULL, NULL };
    fs_run_t run = run_of("exit 0", argv, pool);
    fs_run_t bad = run;
    const char *no_argv[] = { "/no/such/file", NULL };
    int before = open_descriptors(), i;
    apr_pool_t *iter;

    bad.argv = no_argv;
    run.input = big_input(100, pool);
    run.keep_output = true;
    apr_pool_create(&iter, pool);
    for (i = 0; i < 100; i++) {
        fs_run_result_t end;

        apr_pool_clear(iter);
        assert_fs_ok(fs_run_program(&end, &run, iter));
        assert_int_equal(end.end, FS_RUN_EXITED);
        assert_int_equal(end.code, 0);
        assert_fs_ok(fs_run_program(&end, &bad, iter));
        assert_int_equal(end.end, FS_RUN_NOT_STARTED);
    }
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

#define THREADS 8
#define RUNS 5

/* What a thread found: asserts belong to the main thread. */
typedef struct worker_t {
    const char *path;
    int right;
} worker_t;

static void *run_often(void *baton)
{
    worker_t *worker = baton;
    const char *argv[] = { worker->path, NULL };
    apr_pool_t *pool;
    int i;

    apr_pool_create(&pool, NULL);
    for (i = 0; i < RUNS; i++) {
        fs_run_t run;
        fs_run_result_t end;

        apr_pool_clear(pool);
        memset(&run, 0, sizeof(run));
        run.argv = argv;
        run.env = no_env;
        run.kept_max = 100;
        run.keep_output = true;
        run.input = big_input(200000, pool);
        fs_error_clear(fs_run_program(&end, &run, pool));
        worker->right += end.end == FS_RUN_EXITED && end.code == 0 &&
                         end.output.kept.len == 7 &&
                         memcmp(end.output.kept.data, "200000\n", 7) == 0;
    }
    apr_pool_destroy(pool);
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    worker_t worker[THREADS];
    pthread_t thread[THREADS];
    const char *path = script("wc -c", unit_pool(state));
    int i;

    for (i = 0; i < THREADS; i++) {
        worker[i].path = path;
        worker[i].right = 0;
        assert_int_equal(
            pthread_create(&thread[i], NULL, run_often, &worker[i]), 0);
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(worker[i].right, RUNS);
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(outputs_and_exit_code_are_told),
    UNIT_TEST(arguments_arrive_as_they_are),
    UNIT_TEST(the_first_argument_is_the_file),
    UNIT_TEST(the_environment_is_what_is_given),
    UNIT_TEST(without_input_there_is_nothing_to_read),
    UNIT_TEST(input_of_any_length_arrives),
    UNIT_TEST(input_that_nobody_reads_does_no_harm),
    UNIT_TEST(no_sigpipe_reaches_the_process),
    UNIT_TEST(input_and_output_flow_at_once),
    UNIT_TEST(output_that_is_not_kept_is_dropped),
    UNIT_TEST(death_by_a_signal_is_told),
    UNIT_TEST(a_run_that_takes_too_long_is_ended_with_its_children),
    UNIT_TEST(who_ignores_the_request_to_end_is_killed),
    UNIT_TEST(a_run_in_time_is_not_ended),
    UNIT_TEST(children_left_behind_are_not_waited_for),
    UNIT_TEST(children_that_write_for_ever_are_not_heard_for_ever),
    UNIT_TEST(what_cannot_be_started_is_told_with_the_reason),
    UNIT_TEST(arguments_that_are_too_long_are_told),
    UNIT_TEST(descriptors_of_the_process_are_not_inherited),
    UNIT_TEST(signals_are_as_at_the_start_of_a_program),
    UNIT_TEST(a_run_has_a_process_group_of_its_own),
    UNIT_TEST(many_runs_leave_nothing_behind),
    UNIT_TEST(threads_do_not_disturb_each_other),
};

UNIT_MAIN(tests)
