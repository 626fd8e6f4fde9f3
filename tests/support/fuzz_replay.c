/* SPDX-License-Identifier: Apache-2.0 */
/* Run files, or all files of folders, through a fuzz target. */

#include "tests/support/fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Targets without set-up do not define it. */
#pragma weak LLVMFuzzerInitialize

/*
 * The bytes get a block of their own size, so that memory checkers see a read
 * past the end. The name goes out first: a crash must tell its input.
 */
static int replay_file(const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0;

    if (!file || fstat(fileno(file), &info)) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    size = (size_t)info.st_size;
    data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, file) != size) {
        fprintf(stderr, "%s: cannot read %zu bytes\n", path, size);
        exit(1);
    }
    fclose(file);
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static int replay_folder(const char *path)
{
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort);
    int done = 0;
    int i;

    if (count < 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    for (i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.') {
            size_t len = strlen(path) + strlen(names[i]->d_name) + 2;
            char *full = malloc(len);

            if (!full)
                exit(1);
            snprintf(full, len, "%s/%s", path, names[i]->d_name);
            done += replay_file(full);
            free(full);
        }
        free(names[i]);
    }
    free(names);
    return done;
}

int main(int argc, char **argv)
{
    struct stat info;
    int done = 0;
    int i;

    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    for (i = 1; i < argc; i++) {
        if (stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode))
            done += replay_folder(argv[i]);
        else
            done += replay_file(argv[i]);
    }
    printf("%d inputs replayed\n", done);
    return done > 0 ? 0 : 1;
}
