/* SPDX-License-Identifier: Apache-2.0 */
/* What an XML body may be, from our settings and those of httpd. */

#ifndef MOD_REPO_REQUEST_XML_LIMITS_H
#define MOD_REPO_REQUEST_XML_LIMITS_H

#include <httpd.h>

#include "mod_repo/conf/config.h"
#include "mod_repo/http/body.h"

/** The body of a REPORT of `r`. */
void repo_xml_limits_report(repo_body_limits_t *out, const request_rec *r,
                            const repo_limits_t *limits);

/** The body of `r` where mod_dav parses it into a tree. */
void repo_xml_limits_dav(repo_body_limits_t *out, const request_rec *r,
                         const repo_limits_t *limits);

#endif
