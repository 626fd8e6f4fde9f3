/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of libfs: a code that clients know, a message, a cause. */

#ifndef LIBFS_FS_ERROR_H
#define LIBFS_FS_ERROR_H

#include <apr_errno.h>
#include <apr_pools.h>

#if defined(__GNUC__)
#define FS_MUST_CHECK __attribute__((warn_unused_result))
#define FS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
/* For the compiler's flow analysis: what follows an error is not reached. */
#define FS_NEVER_NULL __attribute__((returns_nonnull))
#else
#define FS_MUST_CHECK
#define FS_NEVER_NULL
#define FS_PRINTF(fmt, args)
#endif

/** What kind of thing went wrong; mod_repo maps kinds to HTTP statuses. */
typedef enum fs_error_kind_t {
    FS_KIND_BAD_REQUEST,  /* the caller's input is malformed */
    FS_KIND_NOT_FOUND,    /* path, revision, transaction: not there */
    FS_KIND_CONFLICT,     /* out of date, exists already */
    FS_KIND_FORBIDDEN,    /* unreadable, unwritable, wrong owner */
    FS_KIND_LOCKED,       /* a path lock is in the way */
    FS_KIND_PRECONDITION, /* a stated value is not the one found */
    FS_KIND_UNSUPPORTED,  /* known, and not offered here */
    FS_KIND_DAMAGED,      /* the repository's data fails a check */
    FS_KIND_BUSY,         /* a bounded wait ran out */
    FS_KIND_ABORTED,      /* the receiver of results is gone */
    FS_KIND_TOO_LARGE,    /* the caller's input exceeds a limit */
    FS_KIND_IO            /* the system refused: message is for the log only */
} fs_error_kind_t;

/*
 * Name, number that clients see, kind, general text. Messages of FS_ERR_IO may
 * name paths of the host and are never shown to clients; no other message may.
 * Numbers: docs/errors.md.
 */
#define FS_ERROR_LIST(X)                                                       \
    X(FS_ERR_BAD_DATE, 125003, FS_KIND_BAD_REQUEST, "unparsable date")         \
    X(FS_ERR_BAD_PROPERTY_VALUE, 125005, FS_KIND_BAD_REQUEST,                  \
      "bad property value")                                                    \
    X(FS_ERR_BAD_FORMAT_FILE, 125006, FS_KIND_DAMAGED,                         \
      "malformed format file")                                                 \
    X(FS_ERR_BAD_LINE_ENDING, 125017, FS_KIND_BAD_REQUEST,                     \
      "bad line ending in a property value")                                   \
    X(FS_ERR_BAD_CHECKSUM, 125012, FS_KIND_BAD_REQUEST, "malformed checksum")  \
    X(FS_ERR_IO, 2, FS_KIND_IO, "input/output error")                          \
    X(FS_ERR_XML_ATTRIBUTE, 130000, FS_KIND_BAD_REQUEST,                       \
      "missing XML attribute")                                                 \
    X(FS_ERR_XML_MALFORMED, 130003, FS_KIND_BAD_REQUEST, "malformed XML")      \
    X(FS_ERR_XML_UNSAFE, 130004, FS_KIND_BAD_REQUEST,                          \
      "text that XML cannot hold")                                             \
    X(FS_ERR_STREAM_MALFORMED, 140001, FS_KIND_BAD_REQUEST,                    \
      "malformed stream data")                                                 \
    X(FS_ERR_GENERAL, 160000, FS_KIND_BAD_REQUEST, "general filesystem error") \
    X(FS_ERR_CORRUPT, 160004, FS_KIND_DAMAGED, "repository data is damaged")   \
    X(FS_ERR_PATH_SYNTAX, 160005, FS_KIND_BAD_REQUEST, "invalid path")         \
    X(FS_ERR_NO_SUCH_REV, 160006, FS_KIND_NOT_FOUND, "no such revision")       \
    X(FS_ERR_NO_SUCH_TXN, 160007, FS_KIND_NOT_FOUND, "no such transaction")    \
    X(FS_ERR_NOT_FOUND, 160013, FS_KIND_NOT_FOUND, "path not found")           \
    X(FS_ERR_ROOT_DIR, 160021, FS_KIND_BAD_REQUEST,                            \
      "the root directory cannot be changed so")                               \
    X(FS_ERR_NO_USER, 160034, FS_KIND_FORBIDDEN, "no user is known")           \
    X(FS_ERR_LOCKED, 160035, FS_KIND_LOCKED, "path is already locked")         \
    X(FS_ERR_BAD_LOCK_TOKEN, 160037, FS_KIND_LOCKED, "bad lock token")         \
    X(FS_ERR_LOCK_OWNER, 160039, FS_KIND_LOCKED, "lock has another owner")     \
    X(FS_ERR_LOCK_EXPIRED, 160041, FS_KIND_NOT_FOUND, "lock has expired")      \
    X(FS_ERR_LOCK_OUT_OF_DATE, 160042, FS_KIND_CONFLICT,                       \
      "item to lock is out of date")                                           \
    X(FS_ERR_TXN_NAME, 160053, FS_KIND_BAD_REQUEST,                            \
      "malformed transaction name")                                            \
    X(FS_ERR_FOREIGN_TXN, 160099, FS_KIND_CONFLICT,                            \
      "transaction of another program")                                        \
    X(FS_ERR_HOOK_FAILED, 165001, FS_KIND_FORBIDDEN, "hook failed")            \
    X(FS_ERR_HOOK_DISABLED, 165006, FS_KIND_FORBIDDEN,                         \
      "operation is not enabled by a hook")                                    \
    X(FS_ERR_POST_LOCK_HOOK, 165008, FS_KIND_IO, "post-lock hook failed")      \
    X(FS_ERR_POST_UNLOCK_HOOK, 165009, FS_KIND_IO, "post-unlock hook failed")  \
    X(FS_ERR_NOT_DIR, 160016, FS_KIND_BAD_REQUEST, "not a directory")          \
    X(FS_ERR_NOT_FILE, 160017, FS_KIND_BAD_REQUEST, "not a file")              \
    X(FS_ERR_EXISTS, 160020, FS_KIND_CONFLICT, "already exists")               \
    X(FS_ERR_CONFLICT, 160024, FS_KIND_CONFLICT, "conflict")                   \
    X(FS_ERR_OUT_OF_DATE, 160028, FS_KIND_CONFLICT, "item is out of date")     \
    X(FS_ERR_NO_SUCH_LOCK, 160040, FS_KIND_NOT_FOUND, "no such lock")          \
    X(FS_ERR_UNSUPPORTED_FORMAT, 160043, FS_KIND_UNSUPPORTED,                  \
      "unsupported filesystem format")                                         \
    X(FS_ERR_PROP_CHANGED, 160049, FS_KIND_PRECONDITION,                       \
      "a property does not have the expected value")                           \
    X(FS_ERR_INDEX_CORRUPT, 160054, FS_KIND_DAMAGED,                           \
      "an index of revision data is damaged")                                  \
    X(FS_ERR_INDEX_INCONSISTENT, 160058, FS_KIND_DAMAGED,                      \
      "indexes of revision data disagree")                                     \
    X(FS_ERR_BAD_ARGS, 165002, FS_KIND_BAD_REQUEST, "bad arguments")           \
    X(FS_ERR_BAD_REPORT, 165004, FS_KIND_BAD_REQUEST,                          \
      "invalid report of the client's state")                                  \
    X(FS_ERR_UNSUPPORTED_REPO, 165005, FS_KIND_UNSUPPORTED,                    \
      "unsupported repository format")                                         \
    X(FS_ERR_DAV_REQUEST, 175002, FS_KIND_BAD_REQUEST, "request failed")       \
    X(FS_ERR_TOO_LARGE, 175099, FS_KIND_TOO_LARGE, "input exceeds a limit")    \
    X(FS_ERR_SVNDIFF_HEADER, 185000, FS_KIND_BAD_REQUEST,                      \
      "bad svndiff header")                                                    \
    X(FS_ERR_SVNDIFF_WINDOW, 185001, FS_KIND_BAD_REQUEST,                      \
      "svndiff window exceeds a limit")                                        \
    X(FS_ERR_SVNDIFF_BACKWARD, 185002, FS_KIND_BAD_REQUEST,                    \
      "svndiff source view slides backwards")                                  \
    X(FS_ERR_SVNDIFF_OPS, 185003, FS_KIND_BAD_REQUEST,                         \
      "invalid svndiff instruction")                                           \
    X(FS_ERR_SVNDIFF_END, 185004, FS_KIND_BAD_REQUEST,                         \
      "svndiff data ends early")                                               \
    X(FS_ERR_SVNDIFF_COMPRESSED, 185005, FS_KIND_BAD_REQUEST,                  \
      "svndiff section has the wrong size")                                    \
    X(FS_ERR_MALFORMED_URL, 190001, FS_KIND_BAD_REQUEST, "malformed URL")      \
    X(FS_ERR_FOLDER_NOT_EMPTY, 200011, FS_KIND_CONFLICT,                       \
      "the folder is not empty")                                               \
    X(FS_ERR_CANCELLED, 200015, FS_KIND_ABORTED, "the receiver is gone")       \
    X(FS_ERR_INCOMPLETE_DATA, 200003, FS_KIND_BAD_REQUEST, "incomplete data")  \
    X(FS_ERR_BAD_NUMBER, 200004, FS_KIND_BAD_REQUEST, "not a valid number")    \
    X(FS_ERR_UNSUPPORTED, 200007, FS_KIND_UNSUPPORTED, "unsupported feature")  \
    X(FS_ERR_BAD_CONFIG, 200002, FS_KIND_BAD_REQUEST,                          \
      "malformed configuration file")                                          \
    X(FS_ERR_CHECKSUM_MISMATCH, 200014, FS_KIND_DAMAGED, "checksum mismatch")  \
    X(FS_ERR_MERGEINFO, 200020, FS_KIND_BAD_REQUEST, "unparsable mergeinfo")   \
    X(FS_ERR_LZ4, 200046, FS_KIND_BAD_REQUEST, "LZ4 decompression failed")     \
    X(FS_ERR_BUSY, 200033, FS_KIND_BUSY, "resource is busy")                   \
    X(FS_ERR_ROOT_UNREADABLE, 220000, FS_KIND_FORBIDDEN,                       \
      "root of the operation is not readable")                                 \
    X(FS_ERR_UNREADABLE, 220001, FS_KIND_FORBIDDEN, "item is not readable")

typedef enum fs_error_code_t {
#define FS_ERROR_ENUM(name, number, kind, text) name = number,
    FS_ERROR_LIST(FS_ERROR_ENUM)
#undef FS_ERROR_ENUM
} fs_error_code_t;

/** One level of an error. Fields are for reading; NULL pointer is success. */
typedef struct fs_error_t {
    fs_error_code_t code;
    const char *message;      /* lower case, no dot; never NULL */
    apr_status_t apr_status;  /* what the system said, or APR_SUCCESS */
    struct fs_error_t *cause; /* the next deeper level or NULL; owned */
    const char *file;         /* where in our source */
    int line;
} fs_error_t;

/**
 * Make an error. The caller owns it: return it, wrap it or clear it, once.
 * Never fails: without memory a static error is returned.
 * Threads: any. An error belongs to the thread that holds it.
 */
fs_error_t *fs_error_create(fs_error_code_t code, apr_status_t status,
                            fs_error_t *cause, const char *file, int line,
                            const char *format, ...) FS_MUST_CHECK FS_NEVER_NULL
    FS_PRINTF(6, 7);

/** Free `err` with its causes; NULL is allowed. */
void fs_error_clear(fs_error_t *err);

/**
 * In builds with FS_DEBUG: abort, with a line on stderr, if the calling thread
 * holds an error. Such a build otherwise looks when the process exits; one
 * that calls this is not looked at then, because a server may be told to exit
 * while it is at work. Elsewhere it does nothing.
 */
void fs_error_check_thread(void);

/** Kind of a code, from the table. */
fs_error_kind_t fs_error_kind(fs_error_code_t code);

/** General text of a code, from the table. */
const char *fs_error_text(fs_error_code_t code);

/** Name of a code as in the table ("FS_ERR_CORRUPT"). */
const char *fs_error_name(fs_error_code_t code);

/** Whether `err` or one of its causes has `code`. */
int fs_error_has(const fs_error_t *err, fs_error_code_t code);

/** The whole chain as one line, outermost first, ": " between; in `result`. */
const char *fs_error_describe(const fs_error_t *err, apr_pool_t *result);

/** New error with a printf-like message. */
#define FS_ERROR(code, ...)                                                    \
    fs_error_create((code), APR_SUCCESS, NULL, __FILE__, __LINE__, __VA_ARGS__)

/** FS_ERR_IO from an APR status; the message says what was tried on what. */
#define FS_ERROR_APR(status, ...)                                              \
    fs_error_create(FS_ERR_IO, (status), NULL, __FILE__, __LINE__, __VA_ARGS__)

/**
 * Put a level with the same code on top of `err`: adds a fact. `err` is a
 * variable, not a call: it is evaluated several times.
 */
#define FS_WRAP(err, ...)                                                      \
    fs_error_create((err)->code, (err)->apr_status, (err), __FILE__, __LINE__, \
                    __VA_ARGS__)

/** Put a level with another code on top of `err`, a variable. */
#define FS_WRAP_AS(err, code, ...)                                             \
    fs_error_create((code), (err)->apr_status, (err), __FILE__, __LINE__,      \
                    __VA_ARGS__)

/** Return the error of `expr`, if there is one. */
#define FS_TRY(expr)                                                           \
    do {                                                                       \
        fs_error_t *fs_try_err = (expr);                                       \
        if (fs_try_err)                                                        \
            return fs_try_err;                                                 \
    } while (0)

#endif
