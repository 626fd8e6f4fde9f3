/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Can this server's configuration tell paths below a location apart? Decided
 * once, when it has been read.
 */

#ifndef MOD_REPO_AUTH_SURVEY_H
#define MOD_REPO_AUTH_SURVEY_H

#include <stdbool.h>

#include <httpd.h>
#include <http_config.h>

/**
 * Look through the directives in force and the modules that take part in
 * access control. Conservative: what is not known counts as able to.
 *
 * @param tree  first directive (ap_conftree)
 */
void repo_survey_take(const ap_directive_t *tree, apr_pool_t *scratch);

/** Every path of a location has the access that the location has. */
bool repo_survey_is_uniform(void);

/** Why it is not, for people; NULL if it is. */
const char *repo_survey_reason(void);

#endif
