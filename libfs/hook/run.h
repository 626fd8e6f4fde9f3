/* SPDX-License-Identifier: Apache-2.0 */
/* Running a program that may hang, flood, or leave others behind. */

#ifndef LIBFS_HOOK_RUN_H
#define LIBFS_HOOK_RUN_H

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** A program and how it is run. */
typedef struct fs_run_t {
    const char *const *argv;     /* its file, its arguments, NULL */
    const char *const *env;      /* "NAME=value" ..., NULL */
    fs_bytes_t input;            /* what it can read; it need not */
    bool keep_output;            /* standard output is kept, else dropped */
    apr_size_t kept_max;         /* bytes kept of each output */
    apr_interval_time_t timeout; /* 0: as long as it takes */
} fs_run_t;

/** How a run ended. */
typedef enum fs_run_end_t {
    FS_RUN_EXITED,
    FS_RUN_KILLED,     /* by a signal, of whomever */
    FS_RUN_TIMED_OUT,  /* it was ended, with all that it had started */
    FS_RUN_NOT_STARTED /* the system refused to run the file */
} fs_run_end_t;

/** What a program wrote to an output. */
typedef struct fs_run_output_t {
    fs_bytes_t kept;
    apr_uint64_t lost; /* bytes after those; read and dropped */
} fs_run_output_t;

typedef struct fs_run_result_t {
    fs_run_end_t end;
    int code;    /* exit code; number of the signal; errno of the start */
    bool dumped; /* killed, and it left a core file */
    fs_run_output_t output; /* empty unless kept */
    fs_run_output_t errors; /* standard error */
} fs_run_result_t;

/**
 * Run a program to its end. It gets the process's working folder and user, no
 * descriptors but 0, 1 and 2, default signals, and a process group of its own.
 *
 * It is done when it has ended and both outputs are closed. Children that it
 * leaves behind with an output open are waited for a tenth of a second. A
 * timeout ends the whole group: SIGTERM, half a second later SIGKILL.
 *
 * Errors:  FS_ERR_IO, no descriptors, memory or processes are left.
 * Threads: any number at once; other threads' forks are harmless.
 * Cost:    a process; the memory of what is kept.
 */
fs_error_t *fs_run_program(fs_run_result_t *out, const fs_run_t *run,
                           apr_pool_t *result) FS_MUST_CHECK;

#endif
