/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for the administrator of a new repository. */

#include "libfs/store/fsfs/create_files.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/base/buffer.h"

/* --- Files that are what they are --- */

#define OLD_LOCK                                                               \
    "Only releases before 1.3 look at this file. It is here for them.\n"

static const char readme[] =
    "This folder is a Subversion repository. Look at it and change it with a\n"
    "Subversion client, or with the administrator's programs such as svnadmin\n"
    "and svnlook; editing its files by hand can destroy the history.\n"
    "\n"
    "conf/   settings of servers, for you to edit\n"
    "hooks/  programs that run around commits and other changes\n"
    "db/     the versioned data\n";

static const char svnserve_conf[] =
    "### Settings of svnserve, the stand-alone server (svn:// addresses), for\n"
    "### this repository. A web server does not read this file. Take the '#'\n"
    "### in front of a setting away to change what is written there.\n"
    "\n"
    "[general]\n"
    "### What somebody may do who has not logged in, and who has: 'none',\n"
    "### 'read' or 'write'. These are the defaults.\n"
    "# anon-access = read\n"
    "# auth-access = write\n"
    "### Names and passwords, in a file beside this one or elsewhere. There "
    "is\n"
    "### no default. Passwords in it can be read by who can read the file.\n"
    "# password-db = passwd\n"
    "### Rights for single paths: a file beside this one or elsewhere, or an\n"
    "### address in a repository. Without it all rights are those above.\n"
    "# authz-db = authz\n"
    "### Rights for groups may be kept in another file.\n"
    "# groups-db = groups\n"
    "### What passwords are for: servers with the same realm share them.\n"
    "### Default: the repository's UUID.\n"
    "# realm = My First Repository\n"
    "### Upper and lower case in user names for 'authz-db': 'none' leaves "
    "them\n"
    "### as they are, 'upper' and 'lower' change them.\n"
    "# force-username-case = none\n"
    "### Environment of hooks.\n"
    "# hooks-env = hooks-env\n"
    "\n"
    "[sasl]\n"
    "### Log in by Cyrus SASL, if svnserve was built with it.\n"
    "# use-sasl = true\n"
    "### Least and greatest strength of encryption, in bits: 0 is none, 1 is\n"
    "### checking that nothing was changed, more encrypts.\n"
    "# min-encryption = 0\n"
    "# max-encryption = 256\n";

static const char passwd[] =
    "### Names and passwords for svnserve, one user a line. In use if\n"
    "### 'password-db' in svnserve.conf names this file.\n"
    "\n"
    "[users]\n"
    "# alice = her password\n"
    "# bob = his password\n";

static const char authz[] =
    "### Who may read and write which paths. Servers look at it if they are\n"
    "### told to (svnserve: 'authz-db' in svnserve.conf).\n"
    "###\n"
    "### A section names a path, or a repository and a path ([calc:/trunk]).\n"
    "### Each line in it gives a right: to a user, to a group (@name), to an\n"
    "### alias (&name), to all who logged in ($authenticated), to those who\n"
    "### did not ($anonymous), or to everybody (*); a '~' in front means all\n"
    "### others. The right is 'r', 'rw', or nothing. What a path has no line\n"
    "### for comes from the folder above it.\n"
    "\n"
    "[aliases]\n"
    "# alice = /C=XZ/O=Example/CN=Alice\n"
    "\n"
    "[groups]\n"
    "# developers = alice,bob\n"
    "\n"
    "# [/]\n"
    "# * = r\n"
    "# @developers = rw\n"
    "\n"
    "# [/secret]\n"
    "# * =\n"
    "# &alice = rw\n";

static const char hooks_env[] =
    "### Environment of hooks, which is empty otherwise. Remove '.tmpl' from\n"
    "### the name to have it read. Hooks with a section of their own get "
    "that,\n"
    "### the others [default].\n"
    "\n"
    "[default]\n"
    "### Texts that hooks write for clients are in this encoding; the server\n"
    "### must use the same.\n"
    "LANG = en_US.UTF-8\n"
    "\n"
    "[pre-commit]\n"
    "PATH = /usr/local/bin:/usr/bin:/bin\n";

static const fs_create_file_t plain_files[] = {
    { "README.txt", readme, false },
    { "conf/svnserve.conf", svnserve_conf, false },
    { "conf/passwd", passwd, false },
    { "conf/authz", authz, false },
    { "conf/hooks-env.tmpl", hooks_env, false },
    { "locks/db.lock", OLD_LOCK, false },
    { "locks/db-logs.lock", OLD_LOCK, false },
};

/* --- Samples of hooks --- */

/* Arguments of a hook; the repository's path is the first of all. */
#define ARGS_MAX 5

typedef struct hook_t {
    const char *name;
    const char *when;
    const char *args[ARGS_MAX]; /* ends with NULL if there are fewer */
    const char *input;          /* what it reads, NULL: nothing */
    const char *failure;        /* what its failure does */
    const char *script;         /* with REPOS set already */
} hook_t;

#define USER_ARG "who does it; empty if nobody logged in"

static const hook_t hooks[] = {
    { "start-commit",
      "when a transaction has been made and has its log message, before\n"
      "# anything is changed in it",
      { USER_ARG, "what the client can do, with ':' between (mergeinfo)",
        "name of the transaction" },
      NULL,
      "the commit is refused",
      "# Nobody commits who has not logged in.\n"
      "if [ -z \"$2\" ]; then\n"
      "    echo 'Log in to commit.' >&2\n"
      "    exit 1\n"
      "fi\n" },
    { "pre-commit",
      "when a transaction is complete, before it becomes a revision. It\n"
      "# may look at it with 'svnlook -t' and must change nothing in it but\n"
      "# its properties",
      { "name of the transaction" },
      "lock tokens of the client, if there are any: a line LOCK-TOKENS:, a\n"
      "#   line PATH|TOKEN for each (the path URI-escaped), an empty line",
      "the commit is refused",
      "# Every commit says what it is for.\n"
      "if ! svnlook log -t \"$2\" \"$REPOS\" | grep -q '[[:alnum:]]'; then\n"
      "    echo 'The log message is empty.' >&2\n"
      "    exit 1\n"
      "fi\n" },
    { "post-commit",
      "when a revision has been made",
      { "its number", "name of the transaction that it was" },
      NULL,
      "the client sees a warning, the revision stays",
      "# Tell others: set the address, and take the '#' away.\n"
      "# svnlook info -r \"$2\" \"$REPOS\" |\n"
      "#     mail -s \"Commit r$2\" -- commits@example.org\n" },
    { "pre-revprop-change",
      "before a property of a revision is changed, such as its log message.\n"
      "# Such properties have no history, so nobody can change them as long "
      "as\n"
      "# there is no such hook",
      { "the revision", USER_ARG, "name of the property",
        "A: it is added, M: changed, D: deleted" },
      "the new value",
      "the change is refused",
      "# Log messages may be mended, nothing else.\n"
      "if [ \"$4\" = svn:log ] && [ \"$5\" = M ]; then\n"
      "    exit 0\n"
      "fi\n"
      "echo 'Only svn:log may be changed.' >&2\n"
      "exit 1\n" },
    { "post-revprop-change",
      "when a property of a revision has been changed",
      { "the revision", USER_ARG, "name of the property",
        "A: it was added, M: changed, D: deleted" },
      "the old value",
      "the client sees a warning, the change stays",
      "# Keep what was there: the property has no history.\n"
      "# { date; echo \"r$2 $4 $5 by $3:\"; cat; } "
      ">>\"$REPOS/revprops.log\"\n" },
    { "pre-lock",
      "before a path is locked, for each path. What it writes to standard\n"
      "# output becomes the lock's token; nothing: a token is made",
      { "the path", USER_ARG, "the comment",
        "1 if another's lock is to be taken over, else 0" },
      NULL,
      "the path is not locked",
      "# Locks are not stolen.\n"
      "if [ \"$5\" = 1 ] && svnlook lock \"$REPOS\" \"$2\" | grep -q .; then\n"
      "    echo 'Somebody else has locked this.' >&2\n"
      "    exit 1\n"
      "fi\n" },
    { "post-lock",
      "when paths have been locked, once for all of a request",
      { USER_ARG },
      "the paths, one a line",
      "the client sees a warning, the locks stay",
      "# sed \"s/^/locked by $2: /\" >>\"$REPOS/locks.log\"\n" },
    { "pre-unlock",
      "before a lock is released, for each path",
      { "the path", USER_ARG, "the lock's token, or empty",
        "1 if the lock may be another's, else 0" },
      NULL,
      "the lock stays",
      "# Locks are not broken.\n"
      "if [ \"$5\" = 1 ]; then\n"
      "    echo 'Ask the owner to release the lock.' >&2\n"
      "    exit 1\n"
      "fi\n" },
    { "post-unlock",
      "when locks have been released, once for all of a request",
      { USER_ARG },
      "the paths, one a line",
      "the client sees a warning, the locks are gone",
      "# sed \"s/^/released by $2: /\" >>\"$REPOS/locks.log\"\n" },
};

static const char *hook_text(const hook_t *hook, apr_pool_t *result)
{
    fs_buffer_t *out = fs_buffer_create(2048, result);
    int i;

    fs_buffer_printf(out,
                     "#!/bin/sh\n"
                     "\n"
                     "# A sample of the hook '%s'. It runs %s.\n"
                     "#\n"
                     "# Arguments:\n"
                     "#   1  path of the repository\n",
                     hook->name, hook->when);
    for (i = 0; i < ARGS_MAX && hook->args[i]; i++)
        fs_buffer_printf(out, "#   %d  %s\n", i + 2, hook->args[i]);
    fs_buffer_printf(out,
                     "#\n"
                     "# Standard input: %s.\n"
                     "# If it ends with another status than 0, %s; what\n"
                     "# it wrote to standard error is shown to the client.\n"
                     "#\n"
                     "# Remove '.tmpl' from the name to have it run. The "
                     "server's user must\n"
                     "# be able to run it. Its environment is empty (see "
                     "conf/hooks-env.tmpl)\n"
                     "# and its working folder may be any. What clients send "
                     "can hold blanks\n"
                     "# and worse: write \"$2\" in quotes, and '--' before it "
                     "where a program\n"
                     "# takes options.\n"
                     "\n"
                     "PATH=/usr/local/bin:/usr/bin:/bin\n"
                     "REPOS=$1\n"
                     "\n"
                     "%s"
                     "\n"
                     "exit 0\n",
                     hook->input ? hook->input : "nothing", hook->failure,
                     hook->script);
    return apr_pstrmemdup(result, out->data, out->len);
}

apr_array_header_t *fs_create_files(apr_pool_t *result)
{
    apr_array_header_t *files =
        apr_array_make(result, 20, sizeof(fs_create_file_t));
    apr_size_t i;

    for (i = 0; i < sizeof(plain_files) / sizeof(plain_files[0]); i++)
        APR_ARRAY_PUSH(files, fs_create_file_t) = plain_files[i];
    for (i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
        fs_create_file_t *file = apr_array_push(files);

        file->path =
            apr_pstrcat(result, "hooks/", hooks[i].name, ".tmpl", (char *)NULL);
        file->text = hook_text(&hooks[i], result);
        file->program = true;
    }
    return files;
}

/* --- db/fsfs.conf --- */

/* Lines "# <name> = <default>" are options. */
static const char conf[] =
    "### Settings of this filesystem. Take the '# ' in front of an option "
    "away\n"
    "### to change what is written there, which is the default. They are read\n"
    "### whenever the repository is opened and may be changed at any time;\n"
    "### what is stored already stays readable.\n"
    "\n"
    "[memcached-servers]\n"
    "### Servers of the program memcached, as NAME = HOST:PORT, for programs\n"
    "### that cache there.\n"
    "\n"
    "[caches]\n"
    "### Whether failures of such a cache are failures of what is done.\n"
    "# fail-stop = false\n"
    "\n"
    "[rep-sharing]\n"
    "### Whether contents that the repository holds already are stored only\n"
    "### once.\n"
    "# enable-rep-sharing = true\n"
    "\n"
    "[deltification]\n"
    "### Whether directories and property lists are stored as differences, as\n"
    "### files are: takes less room, and more work to read.\n"
    "# enable-dir-deltification = true\n"
    "# enable-props-deltification = true\n"
    "### How many versions back a difference is made against, at most.\n"
    "# max-deltification-walk = 1023\n"
    "### How many versions in a row are differences against the one before;\n"
    "### then one against a much older one keeps chains short.\n"
    "# max-linear-deltification = 16\n"
    "### How differences are compressed: none, lz4 (fast), zlib, or zlib-1\n"
    "### (faster) to zlib-9 (smaller). Default: lz4 where the format knows "
    "it,\n"
    "### else zlib.\n"
    "# compression = lz4\n"
    "### The old name for zlib-0 to zlib-9; not together with the other one.\n"
    "# compression-level = 5\n"
    "\n"
    "[packed-revprops]\n"
    "### Size of a file of packed revision properties, in KiB. Default: 16, "
    "or\n"
    "### 64 if they are compressed.\n"
    "# revprop-pack-size = 16\n"
    "### Whether packed revision properties are compressed.\n"
    "# compress-packed-revprops = false\n"
    "\n"
    "[io]\n"
    "### Size of blocks that packed data is arranged in, in KiB; a power of "
    "2.\n"
    "# block-size = 64\n"
    "### Entries of an index page, and KiB of a file that one covers; powers\n"
    "### of 2.\n"
    "# l2p-page-size = 8192\n"
    "# p2l-page-size = 1024\n"
    "\n"
    "[debug]\n"
    "### Whether each revision is checked before others see it. Slow.\n"
    "# verify-before-commit = false\n"
    "### Whether a shard is packed by the commit that completes it.\n"
    "# pack-after-commit = false\n";

/* The option that the line is of: the word after "# ", or NULL. */
static const char *option_of(const char *line, apr_size_t len,
                             apr_pool_t *scratch)
{
    const char *end;

    if (len < 4 || line[0] != '#' || line[1] != ' ')
        return NULL;
    end = memchr(line + 2, ' ', len - 2);
    if (!end || strncmp(end, " = ", 3))
        return NULL;
    return apr_pstrmemdup(scratch, line + 2, (apr_size_t)(end - line) - 2);
}

const char *fs_create_files_conf(apr_hash_t *options, apr_pool_t *result)
{
    fs_buffer_t *out = fs_buffer_create(4096, result);
    const char *line, *next;

    for (line = conf; *line; line = next) {
        const char *name, *value = NULL;

        next = strchr(line, '\n') + 1;
        name = option_of(line, (apr_size_t)(next - line), result);
        if (name && options)
            value = apr_hash_get(options, name, APR_HASH_KEY_STRING);
        if (value)
            fs_buffer_printf(out, "%s = %s\n", name, value);
        else
            fs_buffer_append(out, line, (apr_size_t)(next - line));
    }
    return apr_pstrmemdup(result, out->data, out->len);
}
