/* SPDX-License-Identifier: Apache-2.0 */
/* The nine hooks: finding one, running it, telling how it ended. */

#include "libfs/hook/hooks.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "libfs/fs_path.h"
#include "libfs/hook/run.h"

#define OUTPUT_MAX (64 * 1024)
/* As the operating system's shells have it. */
#define NOT_STARTED_CODE 255
#define FIRST_LINE_MAX 128

static const struct {
    const char *name;
    const char *blocks; /* what it refuses; NULL: it comes too late for that */
} rows[FS_HOOK_COUNT] = {
    [FS_HOOK_START_COMMIT] = { "start-commit", "Commit" },
    [FS_HOOK_PRE_COMMIT] = { "pre-commit", "Commit" },
    [FS_HOOK_POST_COMMIT] = { "post-commit", NULL },
    [FS_HOOK_PRE_REVPROP_CHANGE] = { "pre-revprop-change", "Revprop change" },
    [FS_HOOK_POST_REVPROP_CHANGE] = { "post-revprop-change", NULL },
    [FS_HOOK_PRE_LOCK] = { "pre-lock", "Lock" },
    [FS_HOOK_POST_LOCK] = { "post-lock", NULL },
    [FS_HOOK_PRE_UNLOCK] = { "pre-unlock", "Unlock" },
    [FS_HOOK_POST_UNLOCK] = { "post-unlock", NULL },
};

fs_error_t *fs_hooks_init(fs_hooks_t *hooks, fs_repo_t *repo,
                          const fs_hook_config_t *config, apr_pool_t *result)
{
    char *folder;
    apr_status_t status = apr_filepath_merge(&folder, NULL, fs_repo_path(repo),
                                             APR_FILEPATH_NOTRELATIVE, result);

    memset(hooks, 0, sizeof(*hooks));
    if (status)
        return FS_ERROR_APR(status, "cannot tell where '%s' is",
                            fs_repo_path(repo));
    hooks->folder = fs_path_canonical(folder, result);
    hooks->pool = result;
    if (config)
        hooks->config = *config;
    if (!hooks->config.env_file)
        hooks->config.env_file = "hooks-env";
    if (!hooks->config.output_max)
        hooks->config.output_max = OUTPUT_MAX;
    return NULL;
}

/* --- finding -------------------------------------------------------------- */

static const char *path_of(const fs_hooks_t *hooks, fs_hook_id_t id)
{
    return apr_pstrcat(hooks->pool, hooks->folder, "/hooks/", rows[id].name,
                       NULL);
}

/* A regular file, or a link to one. */
static fs_error_t *look_for(bool *found, fs_hooks_t *hooks, fs_hook_id_t id)
{
    const char *path = path_of(hooks, id);
    struct stat st;

    *found = false;
    if (lstat(path, &st) < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return NULL;
        return FS_ERROR_APR(errno, "cannot look at '%s'", path);
    }
    if (S_ISLNK(st.st_mode) && (stat(path, &st) < 0 || !S_ISREG(st.st_mode)))
        return FS_ERROR(FS_ERR_HOOK_FAILED,
                        "Failed to run '%s' hook; broken symlink",
                        rows[id].name);
    *found = S_ISREG(st.st_mode);
    return NULL;
}

static fs_error_t *read_env(fs_hooks_t *hooks)
{
    const char *file = hooks->config.env_file;
    fs_env_t *env;

    if (hooks->env)
        return NULL;
    if (*file != '/')
        file = apr_pstrcat(hooks->pool, hooks->folder, "/conf/", file, NULL);
    FS_TRY(fs_env_read(&env, file, hooks->pool));
    hooks->env = env;
    return NULL;
}

fs_error_t *fs_hooks_find(bool *found, fs_hooks_t *hooks, fs_hook_id_t id)
{
    FS_TRY(look_for(found, hooks, id));
    return *found ? read_env(hooks) : NULL;
}

/* --- what it wrote -------------------------------------------------------- */

/* Bytes of the character at `text`; 0: it is none that XML can hold. */
static apr_size_t whole_character(const char *text, apr_size_t left)
{
    unsigned char c = (unsigned char)*text;
    apr_size_t len = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

    if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
        return 0;
    if (len > left || !fs_utf8_is_valid(text, len))
        return 0;
    if (len == 3 && (memcmp(text, "\xef\xbf\xbe", 3) == 0 ||
                     memcmp(text, "\xef\xbf\xbf", 3) == 0))
        return 0;
    return len;
}

static void append_clean(fs_buffer_t *out, fs_bytes_t text)
{
    const char *end = text.data + text.len;
    const char *p = text.data;

    while (p < end) {
        apr_size_t len = whole_character(p, (apr_size_t)(end - p));

        if (len)
            fs_buffer_append(out, p, len);
        else
            fs_buffer_printf(out, "?\\%03d", (unsigned char)*p);
        p += len ? len : 1;
    }
}

/* A character that was cut in two at the limit is left out. */
static fs_bytes_t without_cut_end(fs_bytes_t text)
{
    apr_size_t tail;

    for (tail = 1; tail <= 3 && tail <= text.len; tail++) {
        unsigned char c = (unsigned char)text.data[text.len - tail];

        if (c >= 0xc0) {
            if (!whole_character(text.data + text.len - tail, tail))
                text.len -= tail;
            break;
        }
        if (c < 0x80)
            break;
    }
    return text;
}

static void append_output(fs_buffer_t *out, const fs_run_output_t *output)
{
    if (!output->kept.len) {
        fs_buffer_puts(out, " with no output.");
        return;
    }
    fs_buffer_puts(out, " with output:\n");
    if (!output->lost) {
        append_clean(out, output->kept);
        return;
    }
    append_clean(out, without_cut_end(output->kept));
    fs_buffer_printf(out, "\n[%" APR_UINT64_T_FMT " more bytes]\n",
                     output->lost);
}

/* --- how it ended --------------------------------------------------------- */

/* Names the program that a script asks for by its first line. */
static void append_interpreter(fs_buffer_t *out, const char *path)
{
    char line[FIRST_LINE_MAX];
    apr_size_t len = sizeof(line) - 1;
    apr_file_t *file;
    fs_bytes_t name;

    if (apr_file_open(&file, path, APR_READ, APR_OS_DEFAULT, out->pool))
        return;
    if (apr_file_read(file, line, &len) != APR_SUCCESS)
        len = 0;
    apr_file_close(file);
    line[len] = '\0';
    if (strncmp(line, "#!", 2) != 0)
        return;
    name.data = line + 2 + strspn(line + 2, " \t");
    name.len = strcspn(name.data, " \t\n");
    fs_buffer_puts(out, " '");
    append_clean(out, name);
    fs_buffer_puts(out, "'");
}

static void append_start_failure(fs_buffer_t *out, const char *path, int code)
{
    char reason[128];

    fs_buffer_puts(out, " with output:\nthe hook could not be started: ");
    if (code == ENOENT) {
        fs_buffer_puts(out, "there is no interpreter");
        append_interpreter(out, path);
    } else if (code == EACCES) {
        fs_buffer_puts(out, "it, or its interpreter");
        append_interpreter(out, path);
        fs_buffer_puts(out, ", is not executable");
    } else if (code == ENOEXEC) {
        fs_buffer_puts(out, "it is no program, and its first line names no "
                            "interpreter");
    } else if (code == E2BIG) {
        fs_buffer_puts(out, "its arguments are too long");
    } else {
        fs_buffer_puts(out, apr_strerror(code, reason, sizeof(reason)));
    }
}

static void append_code(fs_buffer_t *out, fs_hook_id_t id, int code)
{
    if (rows[id].blocks)
        fs_buffer_printf(out, "%s blocked by %s hook (exit code %d)",
                         rows[id].blocks, rows[id].name, code);
    else
        fs_buffer_printf(out, "%s hook failed (exit code %d)", rows[id].name,
                         code);
}

/* The reason's number as APR has it: 2, by a signal; 4, with a core file. */
static void append_signal(fs_buffer_t *out, fs_hook_id_t id,
                          const fs_run_result_t *end)
{
    fs_buffer_printf(out,
                     "'%s' hook failed (did not exit cleanly: "
                     "apr_exit_why_e was %d, exitcode was %d).  ",
                     rows[id].name, end->dumped ? 6 : 2, end->code);
}

static fs_error_t *failure(const fs_hooks_t *hooks, fs_hook_id_t id,
                           const fs_run_result_t *end)
{
    fs_buffer_t *out = fs_buffer_create(256, hooks->pool);

    switch (end->end) {
    case FS_RUN_EXITED:
        append_code(out, id, end->code);
        append_output(out, &end->errors);
        break;
    case FS_RUN_KILLED:
        append_signal(out, id, end);
        append_output(out, &end->errors);
        break;
    case FS_RUN_TIMED_OUT:
        fs_buffer_printf(
            out, "'%s' hook failed (it was ended after %.1f seconds)",
            rows[id].name, (double)hooks->config.timeout / APR_USEC_PER_SEC);
        append_output(out, &end->errors);
        break;
    case FS_RUN_NOT_STARTED:
        append_code(out, id, NOT_STARTED_CODE);
        append_start_failure(out, path_of(hooks, id), end->code);
        break;
    }
    return FS_ERROR(FS_ERR_HOOK_FAILED, "%.*s", (int)out->len, out->data);
}

/* --- running -------------------------------------------------------------- */

fs_error_t *fs_hooks_run(fs_hooks_t *hooks, fs_hook_id_t id,
                         const char *const *args, const fs_bytes_t *input,
                         fs_bytes_t *output)
{
    const char *argv[FS_HOOK_ARGS_MAX + 3];
    fs_run_t run;
    fs_run_result_t end;
    int i;

    memset(&run, 0, sizeof(run));
    argv[0] = path_of(hooks, id);
    argv[1] = hooks->folder;
    for (i = 0; i < FS_HOOK_ARGS_MAX && args[i]; i++)
        argv[2 + i] = args[i];
    argv[2 + i] = NULL;
    run.argv = argv;
    FS_TRY(fs_env_of_hook(&run.env, hooks->env, rows[id].name, hooks->pool));
    if (input)
        run.input = *input;
    run.keep_output = output != NULL;
    run.kept_max = hooks->config.output_max;
    run.timeout = hooks->config.timeout;
    FS_TRY(fs_run_program(&end, &run, hooks->pool));
    if (end.end != FS_RUN_EXITED || end.code != 0)
        return failure(hooks, id, &end);
    if (output)
        *output = end.output.kept;
    return NULL;
}

const char *fs_hooks_late(fs_error_t *err, fs_hook_id_t id, apr_pool_t *result)
{
    const char *text;

    if (!err)
        return NULL;
    if (fs_error_kind(err->code) == FS_KIND_IO)
        text = apr_psprintf(result, "%s hook failed: it could not be run",
                            rows[id].name);
    else if (err->code == FS_ERR_HOOK_FAILED)
        text = apr_pstrdup(result, err->message);
    else
        text = apr_psprintf(result, "%s hook failed: %s", rows[id].name,
                            fs_error_describe(err, result));
    fs_error_clear(err);
    return text;
}
