/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/fs_time.h. */

#include "tests/support/unit.h"

#include "libfs/fs_time.h"

/* What stock programs make of texts; NULL: not a date. */
static const struct {
    const char *text;
    apr_time_t when;
    const char *again;
} rows[] = {
    { "2024-01-02T03:04:05.678901Z", APR_TIME_C(1704164645678901),
      "2024-01-02T03:04:05.678901Z" },
    { "2024-01-02T03:04:05Z", 0, NULL },
    { "2024-01-02T03:04:05.6Z", APR_TIME_C(1704164645000006),
      "2024-01-02T03:04:05.000006Z" },
    { "2024-01-02T03:04:05.67890Z", APR_TIME_C(1704164645067890),
      "2024-01-02T03:04:05.067890Z" },
    { "2024-01-02T03:04:05.6789012Z", APR_TIME_C(1704164651789012),
      "2024-01-02T03:04:11.789012Z" },
    { "2024-01-02T03:04:05.678901", 0, NULL },
    { "2024-01-02 03:04:05.678901Z", 0, NULL },
    { "2024-13-02T03:04:05.678901Z", 0, NULL },
    { "2024-00-02T03:04:05.678901Z", 0, NULL },
    { "2024-01-00T03:04:05.678901Z", APR_TIME_C(1703991845678901),
      "2023-12-31T03:04:05.678901Z" },
    { "2024-01-32T03:04:05.678901Z", APR_TIME_C(1706756645678901),
      "2024-02-01T03:04:05.678901Z" },
    { "2024-01-02T24:04:05.678901Z", APR_TIME_C(1704240245678901),
      "2024-01-03T00:04:05.678901Z" },
    { "2024-01-02T03:60:05.678901Z", APR_TIME_C(1704168005678901),
      "2024-01-02T04:00:05.678901Z" },
    { "2024-01-02T03:04:60.678901Z", APR_TIME_C(1704164700678901),
      "2024-01-02T03:05:00.678901Z" },
    { "2024-01-02T03:04:61.678901Z", APR_TIME_C(1704164701678901),
      "2024-01-02T03:05:01.678901Z" },
    { "2024-02-30T00:00:00.000000Z", APR_TIME_C(1709251200000000),
      "2024-03-01T00:00:00.000000Z" },
    { "2023-02-29T00:00:00.000000Z", APR_TIME_C(1677628800000000),
      "2023-03-01T00:00:00.000000Z" },
    { "1970-01-01T00:00:00.000000Z", APR_TIME_C(0),
      "1970-01-01T00:00:00.000000Z" },
    { "1969-12-31T23:59:59.999999Z", 0, NULL },
    { "1900-01-01T00:00:00.000000Z", 0, NULL },
    { "9999-12-31T23:59:59.999999Z", APR_TIME_C(253402300799999999),
      "9999-12-31T23:59:59.999999Z" },
    { "10000-01-01T00:00:00.000000Z", APR_TIME_C(253402300800000000),
      "10000-01-01T00:00:00.000000Z" },
    { "2024-01-02T03:04:05.678901Z ", APR_TIME_C(1704164645678901),
      "2024-01-02T03:04:05.678901Z" },
    { "2024-01-02T03:04:05.678901Zjunk", APR_TIME_C(1704164645678901),
      "2024-01-02T03:04:05.678901Z" },
    { "", 0, NULL },
    { "x", 0, NULL },
    { "24-01-02T03:04:05.678901Z", 0, NULL },
    { "2024-1-2T3:4:5.678901Z", APR_TIME_C(1704164645678901),
      "2024-01-02T03:04:05.678901Z" },
    { "Tue 02 Jan 2024 03:04:05.678901 (day 002, dst 0, gmt_off 000000)",
      APR_TIME_C(1704164645678901), "2024-01-02T03:04:05.678901Z" },
    { "2024-01-02T03:04:05.678901+00:00", 0, NULL },
    { "2024-01-02T03:04:05.-78901Z", 0, NULL },
    { " 2024-01-02T03:04:05.678901Z", 0, NULL },
    { "20240102T030405.678901Z", 0, NULL },
    { "2024-01-02T03:04:05.678901z", 0, NULL },
    { "+2024-01-02T03:04:05.678901Z", 0, NULL },
};

static void dates_are_read_as_stock_programs_do(void **state)
{
    apr_size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        apr_size_t len = strlen(rows[i].text);
        apr_time_t when = -1;

        if (!rows[i].again) {
            assert_fs_error_says(fs_time_parse(&when, rows[i].text, len),
                                 FS_ERR_BAD_DATE, "is not a date");
            continue;
        }
        assert_fs_ok(fs_time_parse(&when, rows[i].text, len));
        assert_true(when == rows[i].when);
        assert_string_equal(fs_time_text(when, unit_pool(state)),
                            rows[i].again);
    }
}

static void only_the_stated_bytes_are_read(void **state)
{
    apr_time_t when;

    (void)state;
    assert_fs_error(fs_time_parse(&when, "2024-01-02T03:04:05.678901Z", 26),
                    FS_ERR_BAD_DATE);
    assert_fs_error(fs_time_parse(&when, NULL, 0), FS_ERR_BAD_DATE);
}

static void numbers_beyond_all_bounds_are_refused(void **state)
{
    static const char *const texts[] = {
        "2024-2-088888230T2:2:6.1Z",
        "200000-12-31T23:59:59.1000000Z",
        "200001-01-01T00:00:00.000000Z",
        "2024-01-99999999999T00:00:00.000000Z",
        "99999999999999999999-01-01T00:00:00.0Z",
        "2024-01-01T00:00:00.9999999999Z",
        "1970-01-00T00:00:00.000000Z",
    };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        apr_time_t when;

        assert_fs_error(fs_time_parse(&when, texts[i], strlen(texts[i])),
                        FS_ERR_BAD_DATE);
    }
}

static void the_usual_form_has_27_bytes(void **state)
{
    char buf[FS_TIME_SIZE];

    (void)state;
    assert_int_equal(fs_time_format(buf, APR_TIME_C(1704164645678901)), 27);
    assert_string_equal(buf, "2024-01-02T03:04:05.678901Z");
}

static void times_before_1970_are_written(void **state)
{
    assert_string_equal(fs_time_text(-1, unit_pool(state)),
                        "1969-12-31T23:59:59.999999Z");
}

static void leap_days_are_where_the_calendar_has_them(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(fs_time_text(apr_time_from_sec(951782400), pool),
                        "2000-02-29T00:00:00.000000Z");
    assert_string_equal(fs_time_text(apr_time_from_sec(4107542400), pool),
                        "2100-03-01T00:00:00.000000Z");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(dates_are_read_as_stock_programs_do),
    UNIT_TEST(only_the_stated_bytes_are_read),
    UNIT_TEST(numbers_beyond_all_bounds_are_refused),
    UNIT_TEST(the_usual_form_has_27_bytes),
    UNIT_TEST(times_before_1970_are_written),
    UNIT_TEST(leap_days_are_where_the_calendar_has_them),
};

UNIT_MAIN(tests)
