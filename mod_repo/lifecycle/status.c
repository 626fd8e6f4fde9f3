/* SPDX-License-Identifier: Apache-2.0 */
/* The status page. */

#include "mod_repo/lifecycle/status.h"

#include <string.h>
#include <unistd.h>

#include <http_core.h>
#include <http_protocol.h>

#include "config.h"
#include "libcache/cache.h"
#include "libfs/fs_time.h"
#include "mod_repo/auth/survey.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/request/process.h"

/* ---- HTML ---- */

static void html_row(repo_output_t *out, const char *name, const char *value)
{
    repo_output_puts(out, "<dt>");
    repo_xml_text_of(out, name);
    repo_output_puts(out, "</dt><dd>");
    repo_xml_text_of(out, value);
    repo_output_puts(out, "</dd>\n");
}

static void html_counters(repo_output_t *out, cache_t *cache)
{
    int kind;

    repo_output_puts(out, "<table><tr><th>kind</th><th>hits</th>"
                          "<th>misses</th><th>puts</th><th>refused</th>"
                          "<th>evictions</th><th>entries</th><th>bytes</th>"
                          "</tr>\n");
    for (kind = 0; kind < CACHE_KIND_COUNT; kind++) {
        cache_counters_t c;

        cache_counters(cache, (cache_kind_t)kind, &c);
        repo_output_printf(
            out,
            "<tr><td>%s</td><td>%" APR_UINT64_T_FMT
            "</td><td>%" APR_UINT64_T_FMT "</td><td>%" APR_UINT64_T_FMT
            "</td><td>%" APR_UINT64_T_FMT "</td><td>%" APR_UINT64_T_FMT
            "</td><td>%" APR_UINT64_T_FMT "</td><td>%" APR_UINT64_T_FMT
            "</td></tr>\n",
            cache_kind_label((cache_kind_t)kind), c.hits, c.misses, c.puts,
            c.refused, c.evictions, c.entries, c.bytes);
    }
    repo_output_puts(out, "</table>\n");
}

static void write_html(repo_output_t *out, cache_t *cache)
{
    char now[FS_TIME_SIZE];
    int counter;

    fs_time_format(now, apr_time_now());
    repo_output_puts(out, "<html><head><title>mod_repo status</title></head>\n"
                          "<body><h1>mod_repo status</h1>\n<dl>\n");
    html_row(out, "version", "mod_repo " REPO_VERSION);
    html_row(out, "server", ap_get_server_banner());
    html_row(out, "time", now);
    repo_output_printf(out, "<dt>process</dt><dd>%ld</dd>\n", (long)getpid());
    for (counter = 0; counter < REPO_COUNTERS; counter++)
        repo_output_printf(
            out, "<dt>%s</dt><dd>%u</dd>\n",
            repo_process_counter_label((repo_counter_t)counter),
            (unsigned)repo_process_counted((repo_counter_t)counter));
    html_row(out, "access to paths",
             repo_survey_is_uniform() ? "decided once a location"
                                      : "decided by subrequests");
    if (cache)
        repo_output_printf(out,
                           "<dt>cache</dt><dd>%s, %" APR_UINT64_T_FMT
                           " bytes in this process</dd>\n",
                           cache_backend_name(cache), cache_size(cache));
    repo_output_puts(out, "</dl>\n");
    if (cache)
        html_counters(out, cache);
    repo_output_puts(out, "</body></html>\n");
}

/* ---- JSON: the texts are our own and need no escaping ---- */

static void json_counters(repo_output_t *out, cache_t *cache)
{
    int kind;

    repo_output_puts(out, ",\"kinds\":{");
    for (kind = 0; kind < CACHE_KIND_COUNT; kind++) {
        cache_counters_t c;

        cache_counters(cache, (cache_kind_t)kind, &c);
        repo_output_printf(
            out,
            "%s\"%s\":{\"hits\":%" APR_UINT64_T_FMT
            ",\"misses\":%" APR_UINT64_T_FMT ",\"puts\":%" APR_UINT64_T_FMT
            ",\"refused\":%" APR_UINT64_T_FMT
            ",\"evictions\":%" APR_UINT64_T_FMT
            ",\"entries\":%" APR_UINT64_T_FMT ",\"bytes\":%" APR_UINT64_T_FMT
            "}",
            kind ? "," : "", cache_kind_label((cache_kind_t)kind), c.hits,
            c.misses, c.puts, c.refused, c.evictions, c.entries, c.bytes);
    }
    repo_output_puts(out, "}");
}

static void write_json(repo_output_t *out, cache_t *cache)
{
    char now[FS_TIME_SIZE];
    int counter;

    fs_time_format(now, apr_time_now());
    repo_output_printf(out,
                       "{\"version\":\"" REPO_VERSION
                       "\",\"time\":\"%s\",\"process\":%ld",
                       now, (long)getpid());
    for (counter = 0; counter < REPO_COUNTERS; counter++)
        repo_output_printf(
            out, ",\"%s\":%u",
            repo_process_counter_label((repo_counter_t)counter),
            (unsigned)repo_process_counted((repo_counter_t)counter));
    repo_output_printf(out, ",\"subrequests\":%s",
                       repo_survey_is_uniform() ? "false" : "true");
    if (cache) {
        repo_output_printf(
            out, ",\"cache\":{\"backend\":\"%s\",\"size\":%" APR_UINT64_T_FMT,
            cache_backend_name(cache), cache_size(cache));
        json_counters(out, cache);
        repo_output_puts(out, "}");
    }
    repo_output_puts(out, "}\n");
}

int repo_status_handler(request_rec *r)
{
    bool is_json;
    repo_output_t *out;

    if (!r->handler || (strcmp(r->handler, "repo-status") != 0 &&
                        strcmp(r->handler, "svn-status") != 0))
        return DECLINED;
    r->allowed |= AP_METHOD_BIT << M_GET;
    if (r->method_number != M_GET)
        return DECLINED;

    is_json = r->args && strcmp(r->args, "json") == 0;
    ap_set_content_type(r, is_json ? "application/json"
                                   : "text/html; charset=UTF-8");
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    if (r->header_only)
        return OK;
    out = repo_output_create(r, r->output_filters, r->pool);
    if (is_json)
        write_json(out, repo_process_cache());
    else
        write_html(out, repo_process_cache());
    fs_error_clear(repo_output_finish(out));
    return OK;
}
