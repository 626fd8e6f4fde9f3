/* SPDX-License-Identifier: Apache-2.0 */
/* Dates as repositories store them: read leniently, written strictly. */

#include "libfs/fs_time.h"

#include <stdio.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/base/number.h"

#define SECONDS_A_DAY 86400
#define FIELD_MAX 999999999 /* so that no sum of fields passes 64 bits */
#define YEAR_MAX 200000

/* The numbers of a date as written; any may be out of its usual range. */
typedef struct date_fields_t {
    apr_uint64_t year;
    apr_uint64_t month; /* 1 to 12 */
    apr_uint64_t day;
    apr_uint64_t hour;
    apr_uint64_t minute;
    apr_uint64_t second;
    apr_uint64_t micros;
    apr_uint64_t offset; /* seconds east of UTC; old form only */
} date_fields_t;

/* Days from 1970-01-01 to the first of a month; years count from March. */
static apr_int64_t days_before_month(apr_int64_t year, apr_int64_t month)
{
    apr_int64_t from_march = (month + 9) % 12;

    if (month <= 2)
        year--;
    return year * 365 + year / 4 - year / 100 + year / 400 +
           (from_march * 153 + 2) / 5 - 719468;
}

static bool fields_to_time(apr_time_t *out, const date_fields_t *f)
{
    apr_int64_t seconds;

    if (f->month < 1 || f->month > 12 || f->year < 1970 || f->year > YEAR_MAX)
        return false;
    seconds = days_before_month((apr_int64_t)f->year, (apr_int64_t)f->month) +
              (apr_int64_t)f->day - 1;
    seconds = seconds * SECONDS_A_DAY + (apr_int64_t)f->hour * 3600 +
              (apr_int64_t)f->minute * 60 + (apr_int64_t)f->second -
              (apr_int64_t)f->offset;
    seconds += (apr_int64_t)f->micros / APR_USEC_PER_SEC;
    /* What is carried over must not lead to a year that cannot be read. */
    if (seconds < 0 ||
        seconds >= days_before_month(YEAR_MAX + 1, 1) * SECONDS_A_DAY)
        return false;
    *out =
        seconds * APR_USEC_PER_SEC + (apr_int64_t)f->micros % APR_USEC_PER_SEC;
    return true;
}

typedef struct scan_t {
    const char *pos;
    const char *end;
    bool ok; /* false once something did not match */
} scan_t;

static apr_uint64_t scan_number(scan_t *s)
{
    apr_uint64_t value = 0;

    if (s->ok)
        s->ok = fs_number_decimal(&value, &s->pos, s->end, FIELD_MAX);
    return value;
}

static void scan_text(scan_t *s, const char *text)
{
    apr_size_t len = strlen(text);

    if (s->ok)
        s->ok = (apr_size_t)(s->end - s->pos) >= len &&
                memcmp(s->pos, text, len) == 0;
    if (s->ok)
        s->pos += len;
}

static apr_uint64_t scan_month(scan_t *s)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    apr_uint64_t month;

    for (month = 1; s->ok && month <= 12; month++)
        if (s->end - s->pos >= 3 &&
            memcmp(s->pos, names + 3 * (month - 1), 3) == 0) {
            s->pos += 3;
            return month;
        }
    s->ok = false;
    return 0;
}

static void scan_clock(scan_t *s, date_fields_t *f)
{
    f->hour = scan_number(s);
    scan_text(s, ":");
    f->minute = scan_number(s);
    scan_text(s, ":");
    f->second = scan_number(s);
    scan_text(s, ".");
    f->micros = scan_number(s);
}

static bool scan_usual(const char *data, apr_size_t len, date_fields_t *f)
{
    scan_t s = { data, data + len, true };

    f->offset = 0;
    f->year = scan_number(&s);
    scan_text(&s, "-");
    f->month = scan_number(&s);
    scan_text(&s, "-");
    f->day = scan_number(&s);
    scan_text(&s, "T");
    scan_clock(&s, f);
    scan_text(&s, "Z");
    return s.ok;
}

/* Tue 02 Jan 2024 03:04:05.678901 (day 002, dst 0, gmt_off 000000) */
static bool scan_old(const char *data, apr_size_t len, date_fields_t *f)
{
    scan_t s = { data, data + len, len > 3 };

    if (s.ok)
        s.pos += 3; /* the weekday follows from the rest */
    scan_text(&s, " ");
    f->day = scan_number(&s);
    scan_text(&s, " ");
    f->month = scan_month(&s);
    scan_text(&s, " ");
    f->year = scan_number(&s);
    scan_text(&s, " ");
    scan_clock(&s, f);
    scan_text(&s, " (day ");
    (void)scan_number(&s);
    scan_text(&s, ", dst ");
    (void)scan_number(&s);
    scan_text(&s, ", gmt_off ");
    f->offset = scan_number(&s);
    return s.ok;
}

fs_error_t *fs_time_parse(apr_time_t *out, const char *data, apr_size_t len)
{
    date_fields_t fields;
    int shown = len > 80 ? 80 : (int)len;

    if ((scan_usual(data, len, &fields) || scan_old(data, len, &fields)) &&
        fields_to_time(out, &fields))
        return NULL;
    return FS_ERROR(FS_ERR_BAD_DATE, "'%.*s' is not a date", shown, data);
}

/* Year, month and day of a number of days after 1970-01-01. */
static void split_days(apr_int64_t days, apr_int64_t *year, int *month,
                       int *day)
{
    apr_int64_t since = days + 719468; /* 0000-03-01 */
    apr_int64_t era = (since >= 0 ? since : since - 146096) / 146097;
    apr_int64_t in_era = since - era * 146097;
    apr_int64_t y =
        (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    apr_int64_t in_year = in_era - (365 * y + y / 4 - y / 100);
    apr_int64_t m = (5 * in_year + 2) / 153;

    *day = (int)(in_year - (153 * m + 2) / 5 + 1);
    *month = (int)(m < 10 ? m + 3 : m - 9);
    *year = y + era * 400 + (*month <= 2);
}

apr_size_t fs_time_format(char buf[FS_TIME_SIZE], apr_time_t when)
{
    apr_int64_t day_us = (apr_int64_t)SECONDS_A_DAY * APR_USEC_PER_SEC;
    apr_int64_t days = when / day_us;
    apr_int64_t rest = when % day_us;
    apr_int64_t year;
    int month, day, second;

    if (rest < 0) {
        rest += day_us;
        days--;
    }
    split_days(days, &year, &month, &day);
    second = (int)(rest / APR_USEC_PER_SEC);
    return (apr_size_t)snprintf(
        buf, FS_TIME_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", (int)year,
        month, day, second / 3600, second / 60 % 60, second % 60,
        (int)(rest % APR_USEC_PER_SEC));
}

const char *fs_time_text(apr_time_t when, apr_pool_t *result)
{
    char buf[FS_TIME_SIZE];
    apr_size_t len = fs_time_format(buf, when);

    return apr_pstrmemdup(result, buf, len);
}
