/* SPDX-License-Identifier: Apache-2.0 */
/* get-locations, get-location-segments, get-deleted-rev-report: where a node
 * was in other revisions. */

#include <string.h>

#include "libfs/fs_history.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/fields.h"
#include "mod_repo/report/reports.h"

typedef struct places_t {
    repo_fields_t base;
    const char *path;
    fs_rev_t peg;
    fs_rev_t start;
    fs_rev_t end;
    apr_array_header_t *revs; /* texts */
    repo_output_t *out;
} places_t;

static const repo_field_t fields[] = {
    REPO_FIELD(places_t, "path", REPO_FIELD_TEXT, path),
    REPO_FIELD(places_t, "peg-revision", REPO_FIELD_REV, peg),
    REPO_FIELD(places_t, "start-revision", REPO_FIELD_REV, start),
    REPO_FIELD(places_t, "end-revision", REPO_FIELD_REV, end),
    REPO_FIELD(places_t, "location-revision", REPO_FIELD_LIST, revs),
    REPO_FIELDS_END,
};

/* ---- get-locations ---- */

/* A revision without which there is no request. */
static fs_error_t *check_rev(const places_t *places, const char *what,
                             fs_rev_t rev)
{
    if (!FS_IS_REV(rev))
        return FS_ERROR(FS_ERR_DAV_REQUEST,
                        "the element '%s' is missing or negative", what);
    return repo_fields_need_rev(places->base.request, what, rev);
}

/* An array of fs_rev_t, each once. */
static fs_error_t *parse_revs(apr_array_header_t **revs, const places_t *places,
                              apr_pool_t *result)
{
    apr_hash_t *known = apr_hash_make(result);
    int i, count = places->revs ? places->revs->nelts : 0;

    *revs = apr_array_make(result, count, sizeof(fs_rev_t));
    for (i = 0; i < count; i++) {
        const char *text = APR_ARRAY_IDX(places->revs, i, const char *);
        fs_rev_t *rev = apr_palloc(result, sizeof(*rev));

        FS_TRY(repo_fields_number(rev, "location-revision", text));
        FS_TRY(repo_fields_need_rev(places->base.request, "location-revision",
                                    *rev));
        if (!apr_hash_get(known, rev, sizeof(*rev)))
            APR_ARRAY_PUSH(*revs, fs_rev_t) = *rev;
        apr_hash_set(known, rev, sizeof(*rev), rev);
    }
    return NULL;
}

static fs_error_t *run_locations(void *baton, repo_request_t *request,
                                 repo_output_t *out, apr_pool_t *scratch)
{
    places_t *places = baton;
    apr_array_header_t *found;
    const char *path;
    apr_array_header_t *revs;
    int i;

    FS_TRY(repo_fields_path(&path, request, "path", places->path, scratch));
    FS_TRY(check_rev(places, "peg-revision", places->peg));
    FS_TRY(parse_revs(&revs, places, scratch));
    FS_TRY(fs_locations(&found, request->repo, path, places->peg,
                        (const fs_rev_t *)revs->elts, revs->nelts,
                        repo_request_reader(request), scratch));

    repo_fields_open(out, "get-locations-report");
    for (i = 0; i < revs->nelts; i++) {
        const char *place = APR_ARRAY_IDX(found, i, const char *);

        if (!place)
            continue;
        repo_output_printf(out, "<S:location rev=\"%" FS_REV_FMT "\"",
                           APR_ARRAY_IDX(revs, i, fs_rev_t));
        repo_xml_attribute(out, "path", place);
        repo_output_puts(out, "/>\n");
    }
    repo_output_puts(out, "</S:get-locations-report>\n");
    return NULL;
}

const repo_report_t repo_report_locations = {
    .root = "get-locations",
    .size = sizeof(places_t),
    .fields = fields,
    .run = run_locations,
};

/* ---- get-location-segments ---- */

static fs_error_t *write_segment(void *baton, const fs_segment_t *segment,
                                 apr_pool_t *scratch)
{
    places_t *places = baton;
    repo_output_t *out = places->out;

    (void)scratch;
    repo_output_puts(out, "<S:location-segment");
    if (segment->path)
        repo_xml_attribute(out, "path", segment->path);
    repo_output_printf(out,
                       " range-start=\"%" FS_REV_FMT
                       "\" range-end=\"%" FS_REV_FMT "\"/>\n",
                       segment->start, segment->end);
    return repo_output_check(out);
}

static fs_error_t *run_segments(void *baton, repo_request_t *request,
                                repo_output_t *out, apr_pool_t *scratch)
{
    places_t *places = baton;
    const char *path;

    FS_TRY(repo_fields_path(&path, request, "path", places->path, scratch));
    places->out = out;
    repo_fields_open(out, "get-location-segments-report");
    FS_TRY(fs_location_segments(request->repo, path, places->peg, places->start,
                                places->end, repo_request_reader(request),
                                write_segment, places, scratch));
    repo_output_puts(out, "</S:get-location-segments-report>\n");
    return NULL;
}

const repo_report_t repo_report_segments = {
    .root = "get-location-segments",
    .fallback = 400,
    .size = sizeof(places_t),
    .fields = fields,
    .run = run_segments,
};

/* ---- get-deleted-rev-report ---- */

static fs_error_t *run_deleted_rev(void *baton, repo_request_t *request,
                                   repo_output_t *out, apr_pool_t *scratch)
{
    places_t *places = baton;
    const char *path;
    fs_rev_t deleted;

    FS_TRY(repo_fields_path(&path, request, "path", places->path, scratch));
    FS_TRY(check_rev(places, "peg-revision", places->peg));
    FS_TRY(check_rev(places, "end-revision", places->end));
    FS_TRY(fs_deleted_rev(&deleted, request->repo, path, places->peg,
                          places->end, scratch));
    repo_fields_open(out, "get-deleted-rev-report");
    repo_output_printf(out,
                       "<D:version-name>%" FS_REV_FMT
                       "</D:version-name></S:get-deleted-rev-report>\n",
                       deleted);
    return NULL;
}

const repo_report_t repo_report_deleted_rev = {
    .root = "get-deleted-rev-report",
    .size = sizeof(places_t),
    .fields = fields,
    .run = run_deleted_rev,
};
