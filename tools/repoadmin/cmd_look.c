/* SPDX-License-Identifier: Apache-2.0 */
/* repoadmin look: what is in a repository. */

#include "tools/repoadmin/repoadmin.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "libfs/fs_tree.h"

static fs_error_t *open_root(fs_root_t **root, const admin_args_t *args)
{
    fs_repo_t *repo;
    fs_rev_t rev;

    FS_TRY(admin_open(&repo, args));
    FS_TRY(admin_rev(&rev, repo, args));
    return fs_root_open(root, repo, rev, args->pool);
}

/* The path named by word `index`, or the root. */
static const char *path_word(const admin_args_t *args, int index)
{
    return args->words->nelts > index
               ? fs_path_canonical(
                     APR_ARRAY_IDX(args->words, index, const char *),
                     args->pool)
               : "/";
}

static fs_error_t *look_youngest(const admin_args_t *args)
{
    fs_repo_t *repo;
    fs_rev_t rev;

    FS_TRY(admin_open(&repo, args));
    FS_TRY(fs_repo_youngest(&rev, repo, args->pool));
    return admin_printf("%" FS_REV_FMT "\n", rev);
}

static fs_error_t *look_uuid(const admin_args_t *args)
{
    fs_repo_t *repo;

    FS_TRY(admin_open(&repo, args));
    return admin_printf("%s\n", fs_repo_uuid(repo));
}

/* A property of the revision asked for, and a newline. */
static fs_error_t *print_revprop(const admin_args_t *args, const char *name)
{
    const fs_bytes_t *value;
    fs_repo_t *repo;
    fs_rev_t rev;

    FS_TRY(admin_open(&repo, args));
    FS_TRY(admin_rev(&rev, repo, args));
    FS_TRY(fs_repo_revprop(&value, repo, rev, name, args->pool, args->pool));
    if (value)
        FS_TRY(admin_write(value->data, value->len));
    return admin_printf("\n");
}

static fs_error_t *look_author(const admin_args_t *args)
{
    return print_revprop(args, "svn:author");
}

static fs_error_t *look_log(const admin_args_t *args)
{
    return print_revprop(args, "svn:log");
}

static fs_error_t *look_cat(const admin_args_t *args)
{
    char chunk[16384];
    const fs_node_t *node;
    fs_stream_t *text;
    fs_root_t *root;

    FS_TRY(open_root(&root, args));
    FS_TRY(fs_node_need(&node, root, path_word(args, 1), args->pool));
    FS_TRY(fs_node_open(&text, node, 0, args->pool));
    for (;;) {
        apr_size_t len = sizeof(chunk);

        FS_TRY(fs_stream_read(text, chunk, &len));
        if (len == 0)
            return fs_stream_close(text);
        FS_TRY(admin_write(chunk, len));
    }
}

typedef struct printer_t {
    bool full_paths;
    bool recursive;
} printer_t;

static fs_error_t *print_tree(const printer_t *printer, const fs_node_t *node,
                              const char *shown, int indent,
                              apr_pool_t *scratch)
{
    bool is_dir = fs_node_kind(node) == FS_NODE_DIR;
    const fs_dirent_t *entry;
    apr_pool_t *iter;
    fs_dir_t *dir;

    FS_TRY(admin_printf("%*s%s%s\n", printer->full_paths ? 0 : indent, "",
                        shown, is_dir && strcmp(shown, "/") != 0 ? "/" : ""));
    if (!is_dir || (indent > 0 && !printer->recursive))
        return NULL;

    FS_TRY(fs_dir_open(&dir, node, scratch));
    apr_pool_create(&iter, scratch);
    for (;;) {
        const fs_node_t *child;

        apr_pool_clear(iter);
        FS_TRY(fs_dir_next(&entry, dir));
        if (!entry)
            break;
        FS_TRY(fs_dir_node(&child, node, entry, iter));
        FS_TRY(print_tree(printer, child,
                          printer->full_paths
                              ? fs_node_path(child) + 1
                              : fs_path_name(fs_node_path(child)),
                          indent + 1, iter));
    }
    apr_pool_destroy(iter);
    return NULL;
}

static fs_error_t *look_tree(const admin_args_t *args)
{
    printer_t printer = { args->full_paths, !args->non_recursive };
    const char *path = path_word(args, 1);
    const fs_node_t *node;
    fs_root_t *root;

    FS_TRY(open_root(&root, args));
    FS_TRY(fs_node_need(&node, root, path, args->pool));
    if (strcmp(path, "/") != 0)
        path = printer.full_paths ? path + 1 : fs_path_name(path);
    return print_tree(&printer, node, path, 0, args->pool);
}

static fs_error_t *print_change(void *baton, const fs_change_t *change,
                                apr_pool_t *scratch)
{
    fs_root_t *root = baton;
    fs_node_kind_t kind;
    bool text = change->action != FS_ACTION_MODIFY || change->text_mod;

    FS_TRY(fs_change_kind(&kind, root, change, scratch));
    return admin_printf(
        "%c%c  %s%s\n",
        !text                                 ? '_'
        : change->action == FS_ACTION_MODIFY  ? 'U'
        : change->action == FS_ACTION_REPLACE ? 'U'
                                              : (char)change->action,
        change->prop_mod && change->action == FS_ACTION_MODIFY ? 'U' : ' ',
        change->path + 1, kind == FS_NODE_DIR ? "/" : "");
}

static fs_error_t *look_changed(const admin_args_t *args)
{
    fs_root_t *root;

    FS_TRY(open_root(&root, args));
    return fs_root_changes(root, print_change, root, args->pool);
}

static fs_error_t *look_propget(const admin_args_t *args)
{
    const char *name = APR_ARRAY_IDX(args->words, 1, const char *);
    const fs_bytes_t *value;
    const fs_node_t *node;
    fs_root_t *root;

    FS_TRY(open_root(&root, args));
    FS_TRY(fs_node_need(&node, root, path_word(args, 2), args->pool));
    FS_TRY(fs_node_prop(&value, node, name, args->pool));
    if (!value)
        return FS_ERROR(FS_ERR_NOT_FOUND,
                        "property '%s' not found on '%s' in revision "
                        "%" FS_REV_FMT,
                        name, fs_node_path(node), fs_root_rev(root));
    return admin_write(value->data, value->len);
}

static fs_error_t *look_proplist(const admin_args_t *args)
{
    apr_array_header_t *list;
    const fs_node_t *node;
    apr_hash_t *props;
    fs_root_t *root;
    int i;

    FS_TRY(open_root(&root, args));
    FS_TRY(fs_node_need(&node, root, path_word(args, 1), args->pool));
    FS_TRY(fs_node_props(&props, node, args->pool));
    FS_TRY(admin_printf("Properties on '%s':\n", fs_node_path(node)));
    list = fs_prop_diff(NULL, props, args->pool);
    for (i = 0; i < list->nelts; i++)
        FS_TRY(admin_printf("  %s\n",
                            APR_ARRAY_IDX(list, i, fs_prop_change_t).name));
    return NULL;
}

const admin_command_t admin_look_commands[] = {
    { "author", "REPOSITORY [-r REV]", "print the author of a revision",
      ADMIN_OPT_REV, 1, 1, look_author },
    { "cat", "REPOSITORY PATH [-r REV]", "print a file", ADMIN_OPT_REV, 2, 2,
      look_cat },
    { "changed", "REPOSITORY [-r REV]", "list the paths that changed",
      ADMIN_OPT_REV, 1, 1, look_changed },
    { "log", "REPOSITORY [-r REV]", "print the log message of a revision",
      ADMIN_OPT_REV, 1, 1, look_log },
    { "propget", "REPOSITORY NAME PATH [-r REV]", "print a property",
      ADMIN_OPT_REV, 3, 3, look_propget },
    { "proplist", "REPOSITORY PATH [-r REV]", "list the properties of a path",
      ADMIN_OPT_REV, 2, 2, look_proplist },
    { "tree", "REPOSITORY [PATH] [-r REV] [-N] [--full-paths]",
      "print the tree",
      ADMIN_OPT_REV | ADMIN_OPT_FULL_PATHS | ADMIN_OPT_NON_RECURSIVE, 1, 2,
      look_tree },
    { "uuid", "REPOSITORY", "print the UUID", 0, 1, 1, look_uuid },
    { "youngest", "REPOSITORY", "print the youngest revision", 0, 1, 1,
      look_youngest },
    { NULL, NULL, NULL, 0, 0, 0, NULL },
};
