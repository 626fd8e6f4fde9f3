/* SPDX-License-Identifier: Apache-2.0 */
/* db/rep-cache.db, the only thing here that is kept by SQLite. */

#include "libfs/store/fsfs/rep_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <apr_strings.h>

#include <sqlite3.h>

#include "libfs/base/checksum.h"
#include "libfs/store/fsfs/current.h"

#define FILE_NAME "rep-cache.db"

/* Connections that are kept without a user. */
#define IDLE_MAX 4

/* How long others are waited for, in milliseconds. */
#define FIND_WAIT 100
#define WRITE_WAIT 2000
#define CLOSE_WAIT 500

/* How long the database is left alone after a failure. */
#define QUIET (2 * APR_USEC_PER_SEC)

/* How long rows are gathered. */
#define GATHER APR_USEC_PER_SEC

/* So often a database that others lock is tried again. */
#define ATTEMPTS 5

/* More rows are forgotten. */
#define ROWS_MAX 100000

/* Thread that writes: little happens on its stack. */
#define STACK_SIZE (512 * 1024)

/* A connection; used by one thread at a time. */
typedef struct connection_t {
    sqlite3 *db;
    sqlite3_stmt *find;
    fs_stamp_t file; /* dev and inode tell which database it is */
    pid_t pid;       /* who opened it: not to be used after a fork */
    struct connection_t *next;
} connection_t;

/* A row of the table. */
typedef struct row_t {
    unsigned char sha1[FS_SHA1_SIZE];
    fs_rev_t rev;
    apr_uint64_t item;
    apr_uint64_t length;
    apr_uint64_t size;
} row_t;

/* Rows by SHA-1, in a pool of their own. */
typedef struct rows_t {
    apr_pool_t *pool;
    apr_hash_t *table; /* 20 bytes to row_t */
} rows_t;

struct fs_rep_cache_t {
    fs_fsfs_t *fsfs;
    pthread_mutex_t lock; /* guards the rest of this struct */
    pthread_cond_t changed;
    connection_t *idle;
    apr_time_t quiet_until;
    rows_t *gathered; /* NULL: none */
    rows_t *writing;  /* taken by a writer; still looked at */
    pthread_t thread;
    bool started; /* `thread` is to be joined */
    bool running; /* `thread` has something to do */
    bool hurry;   /* do it now */
    bool closing;
};

/* Held while a database is made or opened. A new file is closed by us once,
 * which would let go of locks that SQLite has on it. */
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

/* --- Connections --- */

static void disconnect(connection_t *connection)
{
    if (!connection)
        return;
    /* SQLite forbids even closing in a child what its parent opened. */
    if (connection->pid == getpid()) {
        sqlite3_finalize(connection->find);
        sqlite3_close(connection->db);
    }
    free(connection);
}

static bool execute(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* The database as it is on disk; false if there is none. */
static bool find_file(fs_stamp_t *stamp, const fs_fsfs_t *fsfs)
{
    bool exists = false;
    fs_error_t *err =
        fs_disk_file_stat(stamp, &exists, fsfs->folder, FILE_NAME);

    fs_error_clear(err);
    return !err && exists;
}

/* An empty file is an empty database; it has the permissions of db/current. */
static void make_file(const fs_fsfs_t *fsfs)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    int fd = openat(fsfs->folder, FILE_NAME, flags, 0666);
    struct stat info;

    if (fd < 0)
        return;
    if (!fstatat(fsfs->folder, "current", &info, 0))
        (void)fchmod(fd, info.st_mode & 07777);
    (void)close(fd);
}

/* The version of the tables, 0 in a new database; -1: it cannot be told. */
static int read_version(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    int version = -1;

    if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL) ==
            SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return version;
}

/* Make the tables unless somebody else has just done so. */
static bool make_tables(sqlite3 *db, int format)
{
    static const char columns[] =
        "CREATE TABLE rep_cache (hash TEXT NOT NULL PRIMARY KEY, "
        "revision INTEGER NOT NULL, offset INTEGER NOT NULL, "
        "size INTEGER NOT NULL, expanded_size INTEGER NOT NULL)";
    bool rowid = format < FS_FORMAT_NEWEST;
    bool done = true;

    if (!execute(db, "BEGIN IMMEDIATE"))
        return false;
    if (read_version(db) == 0) {
        char *sql =
            sqlite3_mprintf("%s%s; PRAGMA user_version = %d", columns,
                            rowid ? "" : " WITHOUT ROWID", rowid ? 1 : 2);

        done = sql && execute(db, sql);
        sqlite3_free(sql);
    }
    done = execute(db, done ? "COMMIT" : "ROLLBACK") && done;
    return done;
}

/* Ready for use: right version, or made if `writing`. */
static bool prepare(connection_t *connection, const fs_fsfs_t *fsfs,
                    bool writing)
{
    sqlite3 *db = connection->db;
    int version;

    sqlite3_busy_timeout(db, writing ? WRITE_WAIT : FIND_WAIT);
    version = read_version(db);
    if (version == 0 && writing) {
        if (!execute(db, "PRAGMA journal_mode = TRUNCATE") ||
            !make_tables(db, fsfs->format.format))
            return false;
        version = read_version(db);
    }
    if (version != 1 && version != 2)
        return false;
    return sqlite3_prepare_v2(db,
                              "SELECT revision, offset, size, expanded_size "
                              "FROM rep_cache WHERE hash = ?1",
                              -1, &connection->find, NULL) == SQLITE_OK;
}

/* Open the file that `stamp` is of. By its path, as SQLite wants it: the
 * repository may have been renamed, so it is compared. */
static connection_t *open_file(const fs_fsfs_t *fsfs, fs_stamp_t stamp,
                               bool writing)
{
    connection_t *connection = calloc(1, sizeof(*connection));
    char *path = sqlite3_mprintf("%s/%s", fsfs->db, FILE_NAME);
    struct stat info;
    bool ready;

    if (connection) {
        connection->file = stamp;
        connection->pid = getpid();
    }
    ready = connection && path && !stat(path, &info) &&
            (apr_uint64_t)info.st_dev == stamp.dev &&
            (apr_uint64_t)info.st_ino == stamp.inode &&
            sqlite3_open_v2(path, &connection->db,
                            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                            NULL) == SQLITE_OK &&
            prepare(connection, fsfs, writing);
    sqlite3_free(path);
    if (!ready) {
        disconnect(connection);
        connection = NULL;
    }
    return connection;
}

static connection_t *take_idle(fs_rep_cache_t *cache)
{
    connection_t *connection;

    pthread_mutex_lock(&cache->lock);
    connection = cache->idle;
    if (connection)
        cache->idle = connection->next;
    pthread_mutex_unlock(&cache->lock);
    return connection;
}

static void give_back(fs_rep_cache_t *cache, connection_t *connection)
{
    const connection_t *at;
    int count = 0;

    pthread_mutex_lock(&cache->lock);
    for (at = cache->idle; at; at = at->next)
        count++;
    if (count < IDLE_MAX && !cache->closing) {
        connection->next = cache->idle;
        cache->idle = connection;
        connection = NULL;
    }
    pthread_mutex_unlock(&cache->lock);
    disconnect(connection);
}

/* A connection to the database that is there now; NULL if there is none that
 * can be used. `*missing`: no file. */
static connection_t *connect_now(fs_rep_cache_t *cache, bool writing,
                                 bool *missing)
{
    connection_t *connection;
    fs_stamp_t stamp;

    *missing = !find_file(&stamp, cache->fsfs);
    while ((connection = take_idle(cache)) != NULL) {
        if (!*missing && connection->pid == getpid() &&
            connection->file.dev == stamp.dev &&
            connection->file.inode == stamp.inode)
            return connection;
        disconnect(connection);
    }
    if (*missing && !writing)
        return NULL;
    pthread_mutex_lock(&open_lock);
    if (*missing)
        make_file(cache->fsfs);
    if (!*missing || find_file(&stamp, cache->fsfs))
        connection = open_file(cache->fsfs, stamp, writing);
    pthread_mutex_unlock(&open_lock);
    return connection;
}

/* --- Finding --- */

static bool take_number(apr_uint64_t *out, sqlite3_stmt *statement, int column)
{
    apr_int64_t number = sqlite3_column_int64(statement, column);

    *out = (apr_uint64_t)number;
    return number >= 0 &&
           sqlite3_column_type(statement, column) == SQLITE_INTEGER;
}

/* The row of `row->sha1`; `*failed` if that cannot be told. */
static bool query(row_t *row, connection_t *connection, bool *failed)
{
    sqlite3_stmt *statement = connection->find;
    char hex[2 * FS_SHA1_SIZE];
    apr_uint64_t rev;
    bool found = false;
    int status;

    fs_hex_write(hex, row->sha1, FS_SHA1_SIZE);
    sqlite3_bind_text(statement, 1, hex, sizeof(hex), SQLITE_STATIC);
    sqlite3_busy_timeout(connection->db, FIND_WAIT);
    status = sqlite3_step(statement);
    if (status == SQLITE_ROW) {
        found = take_number(&rev, statement, 0) &&
                take_number(&row->item, statement, 1) &&
                take_number(&row->length, statement, 2) &&
                take_number(&row->size, statement, 3);
        row->rev = (fs_rev_t)rev;
    }
    *failed = status != SQLITE_ROW && status != SQLITE_DONE;
    if (sqlite3_reset(statement) != SQLITE_OK)
        *failed = true;
    sqlite3_clear_bindings(statement);
    return found;
}

static bool find_stored(row_t *row, fs_rep_cache_t *cache)
{
    apr_time_t now = apr_time_now();
    connection_t *connection;
    bool missing, failed = true, found = false;

    pthread_mutex_lock(&cache->lock);
    failed = now < cache->quiet_until;
    pthread_mutex_unlock(&cache->lock);
    if (failed)
        return false;
    connection = connect_now(cache, false, &missing);
    if (!connection && missing)
        return false;
    failed = true;
    if (connection)
        found = query(row, connection, &failed);
    if (!failed) {
        give_back(cache, connection);
        return found;
    }
    disconnect(connection);
    pthread_mutex_lock(&cache->lock);
    cache->quiet_until = now + QUIET;
    pthread_mutex_unlock(&cache->lock);
    return false;
}

static bool find_in(row_t *row, const rows_t *rows)
{
    const row_t *at =
        rows ? apr_hash_get(rows->table, row->sha1, FS_SHA1_SIZE) : NULL;

    if (at)
        *row = *at;
    return at != NULL;
}

static bool find_row(row_t *row, fs_rep_cache_t *cache)
{
    bool found;

    pthread_mutex_lock(&cache->lock);
    found = find_in(row, cache->writing) || find_in(row, cache->gathered);
    pthread_mutex_unlock(&cache->lock);
    return found || find_stored(row, cache);
}

static bool is_offered(const fs_fsfs_t *fsfs)
{
    return fsfs->rep_cache && fsfs->conf.enable_rep_sharing &&
           fsfs->format.format >= FS_FORMAT_REP_SHARING;
}

static fs_error_t *check_rev(fs_fsfs_t *fsfs, const row_t *row,
                             apr_pool_t *scratch)
{
    fs_error_t *err = fs_current_need(fsfs, row->rev, scratch);

    if (err && err->code == FS_ERR_NO_SUCH_REV)
        return FS_WRAP_AS(err, FS_ERR_CORRUPT,
                          "the representation cache knows contents in "
                          "r%" FS_REV_FMT ", which does not exist",
                          row->rev);
    return err;
}

fs_error_t *fs_rep_cache_find(bool *found, fs_rep_t *rep, fs_fsfs_t *fsfs,
                              fs_rep_cache_same_fn same, void *baton,
                              apr_pool_t *scratch)
{
    fs_rep_t candidate = *rep;
    bool equal = false;
    fs_error_t *err;
    row_t row;

    *found = false;
    if (!rep->has_sha1 || !is_offered(fsfs))
        return NULL;
    memcpy(row.sha1, rep->sha1, FS_SHA1_SIZE);
    if (!find_row(&row, fsfs->rep_cache) || row.size != rep->size)
        return NULL;
    FS_TRY(check_rev(fsfs, &row, scratch));
    candidate.rev = row.rev;
    candidate.item = row.item;
    candidate.length = row.length;
    err = same(&equal, baton, &candidate, scratch);
    if (err) {
        /* There is no such content, or it is damaged: not to be relied on. */
        fs_error_clear(err);
        return NULL;
    }
    if (!equal)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "contents with the SHA-1 %s differ from those in "
                        "r%" FS_REV_FMT " item %" APR_UINT64_T_FMT,
                        fs_hex_format(rep->sha1, FS_SHA1_SIZE, scratch),
                        row.rev, row.item);
    rep->rev = row.rev;
    rep->item = row.item;
    rep->length = row.length;
    *found = true;
    return NULL;
}

/* --- Writing --- */

/* Rows above it must never get into the database. */
static fs_rev_t published(fs_fsfs_t *fsfs, apr_pool_t *scratch)
{
    fs_rev_t youngest = FS_INVALID_REV;
    fs_error_t *err = fs_current_youngest(&youngest, fsfs, scratch);

    if (!err)
        return youngest;
    fs_error_clear(err);
    return FS_INVALID_REV;
}

static bool insert_row(sqlite3_stmt *statement, const row_t *row)
{
    char hex[2 * FS_SHA1_SIZE];

    fs_hex_write(hex, row->sha1, FS_SHA1_SIZE);
    sqlite3_bind_text(statement, 1, hex, sizeof(hex), SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, row->rev);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)row->item);
    sqlite3_bind_int64(statement, 4, (sqlite3_int64)row->length);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)row->size);
    return sqlite3_step(statement) == SQLITE_DONE &&
           sqlite3_reset(statement) == SQLITE_OK;
}

/* By hash: neighbours on the pages of the table are written together. */
static int compare_rows(const void *a, const void *b)
{
    const row_t *const *x = a, *const *y = b;

    return memcmp((*x)->sha1, (*y)->sha1, FS_SHA1_SIZE);
}

static apr_array_header_t *sort_rows(const rows_t *rows, fs_rev_t youngest,
                                     apr_pool_t *scratch)
{
    apr_array_header_t *sorted = apr_array_make(
        scratch, (int)apr_hash_count(rows->table) + 1, sizeof(const row_t *));
    apr_hash_index_t *i;

    for (i = apr_hash_first(scratch, rows->table); i; i = apr_hash_next(i)) {
        const row_t *row = apr_hash_this_val(i);

        if (row->rev <= youngest)
            APR_ARRAY_PUSH(sorted, const row_t *) = row;
    }
    qsort(sorted->elts, (apr_size_t)sorted->nelts, sizeof(const row_t *),
          compare_rows);
    return sorted;
}

static bool insert_rows(sqlite3 *db, const apr_array_header_t *rows)
{
    sqlite3_stmt *statement = NULL;
    bool good =
        sqlite3_prepare_v2(db,
                           "INSERT OR IGNORE INTO rep_cache (hash, revision, "
                           "offset, size, expanded_size) "
                           "VALUES (?1, ?2, ?3, ?4, ?5)",
                           -1, &statement, NULL) == SQLITE_OK;
    int i;

    for (i = 0; i < rows->nelts && good; i++)
        good = insert_row(statement, APR_ARRAY_IDX(rows, i, const row_t *));
    sqlite3_finalize(statement);
    return good;
}

/* All rows in one transaction that is wholly there or not, also after a loss
 * of power: a torn database would be damage to verifiers. `*busy`: others are
 * at it. */
static void write_rows(const rows_t *rows, fs_rep_cache_t *cache, int wait_ms,
                       bool *busy)
{
    connection_t *connection;
    apr_pool_t *scratch;
    bool missing, good;
    fs_rev_t youngest;
    sqlite3 *db;

    *busy = false;
    apr_pool_create(&scratch, NULL);
    youngest = published(cache->fsfs, scratch);
    connection =
        FS_IS_REV(youngest) ? connect_now(cache, true, &missing) : NULL;
    if (connection) {
        db = connection->db;
        sqlite3_busy_timeout(db, wait_ms);
        good = execute(db, "PRAGMA journal_mode = TRUNCATE") &&
               execute(db, cache->fsfs->nosync ? "PRAGMA synchronous = OFF"
                                               : "PRAGMA synchronous = FULL") &&
               execute(db, "BEGIN IMMEDIATE") &&
               insert_rows(db, sort_rows(rows, youngest, scratch)) &&
               execute(db, "COMMIT");
        *busy = !good && sqlite3_errcode(db) == SQLITE_BUSY;
        if (!good)
            (void)execute(db, "ROLLBACK");
        if (good)
            give_back(cache, connection);
        else
            disconnect(connection);
    }
    apr_pool_destroy(scratch);
}

static void free_rows(rows_t *rows)
{
    if (rows)
        apr_pool_destroy(rows->pool);
}

/* Write what was gathered; called and returns with the lock held. False: it
 * is to be tried again. */
static bool write_gathered(fs_rep_cache_t *cache)
{
    bool busy = false;

    if (!cache->writing) {
        cache->writing = cache->gathered;
        cache->gathered = NULL;
    }
    if (cache->writing) {
        const rows_t *rows = cache->writing;
        int wait_ms = cache->closing ? CLOSE_WAIT : WRITE_WAIT;

        pthread_mutex_unlock(&cache->lock);
        write_rows(rows, cache, wait_ms, &busy);
        pthread_mutex_lock(&cache->lock);
    }
    if (busy && !cache->closing)
        return false;
    free_rows(cache->writing);
    cache->writing = NULL;
    return true;
}

/* Sleep until rows were gathered for a while, or somebody is in a hurry. */
static void wait_a_while(fs_rep_cache_t *cache)
{
    apr_time_t until = apr_time_now() + GATHER;
    struct timespec when;

    when.tv_sec = (time_t)apr_time_sec(until);
    when.tv_nsec = (long)apr_time_usec(until) * 1000;
    while (!cache->closing && !cache->hurry &&
           pthread_cond_timedwait(&cache->changed, &cache->lock, &when) !=
               ETIMEDOUT)
        continue;
}

static void *run(void *data)
{
    fs_rep_cache_t *cache = data;
    int attempts = 0;

    pthread_mutex_lock(&cache->lock);
    while (cache->gathered || cache->writing) {
        wait_a_while(cache);
        cache->hurry = false;
        if (write_gathered(cache) || ++attempts == ATTEMPTS) {
            attempts = 0;
            free_rows(cache->writing);
            cache->writing = NULL;
        }
        pthread_cond_broadcast(&cache->changed);
    }
    cache->running = false;
    pthread_cond_broadcast(&cache->changed);
    pthread_mutex_unlock(&cache->lock);
    return NULL;
}

/* Start the thread; it gets no signals, which are for those of the program.
 * With the lock held. */
static bool start(fs_rep_cache_t *cache)
{
    sigset_t all, before;
    pthread_attr_t attr;
    int failed;

    if (cache->started)
        pthread_join(cache->thread, NULL); /* it has ended */
    cache->started = false;
    if (pthread_attr_init(&attr))
        return false;
    (void)pthread_attr_setstacksize(&attr, STACK_SIZE);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&cache->thread, &attr, run, cache);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    cache->started = !failed;
    cache->running = !failed;
    return !failed;
}

static void gather(fs_rep_cache_t *cache, const fs_rep_t *rep)
{
    rows_t *rows = cache->gathered;
    row_t *row;

    if (!rows) {
        apr_pool_t *pool;

        apr_pool_create(&pool, NULL);
        rows = apr_palloc(pool, sizeof(*rows));
        rows->pool = pool;
        rows->table = apr_hash_make(pool);
        cache->gathered = rows;
    }
    if (apr_hash_count(rows->table) >= ROWS_MAX ||
        apr_hash_get(rows->table, rep->sha1, FS_SHA1_SIZE))
        return;
    row = apr_palloc(rows->pool, sizeof(*row));
    memcpy(row->sha1, rep->sha1, FS_SHA1_SIZE);
    row->rev = rep->rev;
    row->item = rep->item;
    row->length = rep->length;
    row->size = rep->size;
    apr_hash_set(rows->table, row->sha1, FS_SHA1_SIZE, row);
}

void fs_rep_cache_add(fs_fsfs_t *fsfs, const fs_rep_t *reps, int count,
                      apr_pool_t *scratch)
{
    fs_rep_cache_t *cache = fsfs->rep_cache;
    int i;

    (void)scratch;
    if (!is_offered(fsfs) || count == 0)
        return;
    pthread_mutex_lock(&cache->lock);
    for (i = 0; i < count; i++)
        if (reps[i].has_sha1 && FS_IS_REV(reps[i].rev))
            gather(cache, &reps[i]);
    if (cache->gathered && !cache->running && !start(cache))
        (void)write_gathered(cache);
    pthread_mutex_unlock(&cache->lock);
}

void fs_rep_cache_flush(fs_fsfs_t *fsfs)
{
    fs_rep_cache_t *cache = fsfs->rep_cache;

    pthread_mutex_lock(&cache->lock);
    while (cache->running) {
        cache->hurry = true;
        pthread_cond_broadcast(&cache->changed);
        pthread_cond_wait(&cache->changed, &cache->lock);
    }
    pthread_mutex_unlock(&cache->lock);
}

/* --- Life --- */

fs_error_t *fs_rep_cache_create(fs_rep_cache_t **out, fs_fsfs_t *fsfs,
                                apr_pool_t *result)
{
    fs_rep_cache_t *cache = apr_pcalloc(result, sizeof(*cache));

    cache->fsfs = fsfs;
    if (pthread_mutex_init(&cache->lock, NULL))
        return FS_ERROR_APR(APR_ENOMEM, "cannot make a mutex");
    if (pthread_cond_init(&cache->changed, NULL)) {
        pthread_mutex_destroy(&cache->lock);
        return FS_ERROR_APR(APR_ENOMEM, "cannot make a condition variable");
    }
    *out = cache;
    return NULL;
}

void fs_rep_cache_close(fs_rep_cache_t *cache)
{
    connection_t *connection;

    pthread_mutex_lock(&cache->lock);
    cache->closing = true;
    pthread_cond_broadcast(&cache->changed);
    pthread_mutex_unlock(&cache->lock);
    if (cache->started)
        pthread_join(cache->thread, NULL);
    while ((connection = take_idle(cache)) != NULL)
        disconnect(connection);
    free_rows(cache->gathered);
    free_rows(cache->writing);
    pthread_cond_destroy(&cache->changed);
    pthread_mutex_destroy(&cache->lock);
}
