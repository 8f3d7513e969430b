/* SPDX-License-Identifier: MIT */
/* Names by number, counts by name, seconds into milliseconds, the version. */
#include <criterion/criterion.h>
#include <echomq/echomq.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

Test(words, outcomes) {
  static const char *const names[] = {"none", "enqueued", "duplicate", "claimed", "empty",
                                      "done", "gone",     "scheduled", "dead"};
  for (int i = 0; i < 9; i++)
    cr_assert_str_eq(emq_outcome_name((emq_outcome)i), names[i]);
  cr_assert_null(emq_outcome_name((emq_outcome)9));
  cr_assert_null(emq_outcome_name((emq_outcome)-1));
}

Test(words, states) {
  static const char *const names[] = {"absent", "pending",           "active", "scheduled",
                                      "dead",   "awaiting_children", "unknown"};
  for (int i = 0; i < 7; i++)
    cr_assert_str_eq(emq_state_name((emq_state)i), names[i]);
  cr_assert_null(emq_state_name((emq_state)7));
  cr_assert_null(emq_state_name((emq_state)-1));
}

Test(words, states_with_a_set_are_read) {
  for (int i = 0; i < 7; i++) {
    bool has_set = i >= EMQ_STATE_PENDING && i <= EMQ_STATE_DEAD;
    const char *name = emq_state_name((emq_state)i);
    emq_state state = EMQ_STATE_UNKNOWN;
    cr_assert_eq(emq_state_parse(&state, name, strlen(name), NULL),
                 has_set ? EMQ_OK : EMQ_ERR_INVALID_ARGUMENT, "%s", name);
    cr_assert_eq((int)state, has_set ? i : EMQ_STATE_UNKNOWN);
  }
}

Test(words, other_states_are_refused) {
  static const struct {
    const char *name;
    size_t len;
    const char *quoted;
  } cases[] = {
      {"schedule", 8, "\"schedule\""},
      {"Dead", 4, "\"Dead\""},
      {"", 0, "\"\""},
      {NULL, 9, "\"\""},
      {"activ", 5, "\"activ\""},
      {"dead\0", 5, "dead\\x00"},
      {"awaiting_children", 17, "\"awaiting_children\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    emq_error error = EMQ_ERROR_INIT;
    emq_state state = EMQ_STATE_UNKNOWN;
    cr_assert_eq(emq_state_parse(&state, cases[i].name, cases[i].len, &error),
                 EMQ_ERR_INVALID_ARGUMENT);
    cr_assert(strstr(error.message, cases[i].quoted), "%s", error.message);
    cr_assert(strstr(error.message, "there are pending, active, scheduled and dead"), "%s",
              error.message);
    cr_assert_eq(state, EMQ_STATE_UNKNOWN);
  }
}

Test(words, counts_there_and_back) {
  static const char *const names[] = {"pending", "active",    "schedule",
                                      "dead",    "completed", "failed"};
  for (int i = 0; i < EMQ_COUNTS; i++) {
    cr_assert_str_eq(emq_count_name((emq_count)i), names[i]);
    emq_count count;
    cr_assert_eq(emq_count_parse(&count, names[i], strlen(names[i]), NULL), EMQ_OK);
    cr_assert_eq((int)count, i);
  }
  cr_assert_null(emq_count_name((emq_count)EMQ_COUNTS));
  cr_assert_null(emq_count_name((emq_count)-1));
}

Test(words, other_counts_are_refused) {
  static const struct {
    const char *name;
    size_t len;
    const char *quoted;
  } cases[] = {
      {"scheduled", 9, "\"scheduled\""},
      {"Pending", 7, "\"Pending\""},
      {"", 0, "\"\""},
      {NULL, 0, "\"\""},
      {"pendin", 6, "\"pendin\""},
      {"dead\0", 5, "dead\\x00"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    emq_error error = EMQ_ERROR_INIT;
    emq_count count = EMQ_COUNT_FAILED;
    cr_assert_eq(emq_count_parse(&count, cases[i].name, cases[i].len, &error),
                 EMQ_ERR_INVALID_ARGUMENT);
    cr_assert(strstr(error.message, cases[i].quoted), "%s", error.message);
    for (int name = 0; name < EMQ_COUNTS; name++)
      cr_assert(strstr(error.message, emq_count_name((emq_count)name)), "%s", error.message);
    cr_assert_eq(count, EMQ_COUNT_FAILED);
  }
}

Test(words, seconds_become_whole_milliseconds) {
  static const struct {
    double seconds;
    int64_t ms;
  } cases[] = {
      {0, 0},         {1, 1000},   {30, 30000},   {0.001, 1},  {0.0005, 1},       {1e-9, 1},
      {1.0001, 1001}, {0.07, 70}, /* 0.07 * 1000 > 70 */
      {0.29, 290},    {1.1, 1100}, {2.675, 2675}, {0.0011, 2}, {86400, 86400000}, {-0.0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t ms = -1;
    emq_error error = EMQ_ERROR_INIT;
    cr_assert_eq(emq_milliseconds(&ms, cases[i].seconds, 0, EMQ_LEASE_MAX_MS, "lease", &error),
                 EMQ_OK, "%s", error.message);
    cr_assert_eq(ms, cases[i].ms, "%g gave %lld", cases[i].seconds, (long long)ms);
  }
}

Test(words, every_millisecond_of_two_minutes_is_itself) {
  for (int64_t ms = 0; ms <= 120000; ms++) {
    int64_t got;
    cr_assert_eq(emq_milliseconds(&got, (double)ms / 1000, 0, 120000, "wait", NULL), EMQ_OK);
    cr_assert_eq(got, ms);
  }
}

Test(words, seconds_out_of_bounds_are_refused) {
  const struct {
    double seconds;
    int64_t min_ms, max_ms;
    const char *message;
  } cases[] = {
      {-1, 1, 1000, "lease is -1 s, 0.001 to 1 are allowed"},
      {0, 1, 1000, "lease is 0 s, 0.001 to 1 are allowed"},
      {-0.0001, 0, 1000, "lease is -0.0001 s, 0 to 1 are allowed"},
      {-1e-9, 0, 1000, "lease is -1e-09 s, 0 to 1 are allowed"},
      {1.0005, 1, 1000, "lease is 1.0005 s, 0.001 to 1 are allowed"},
      {1.5, 10, 1250, "lease is 1.5 s, 0.01 to 1.25 are allowed"},
      {1e10, 1, EMQ_LEASE_MAX_MS, "lease is 10000000000 s, 0.001 to 31536000 are allowed"},
      {1e300, 1, EMQ_LEASE_MAX_MS, "lease is 1e+300 s, 0.001 to 31536000 are allowed"},
      {NAN, 1, 1000, "lease is NaN s, 0.001 to 1 are allowed"},
      {INFINITY, 1, INT64_MAX, "lease is inf s, 0.001 to 9223372036854775.807 are allowed"},
      {-INFINITY, INT64_MIN, 5, "lease is -inf s, -9223372036854775.808 to 0.005 are allowed"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t ms = 42;
    emq_error error = EMQ_ERROR_INIT;
    cr_assert_eq(
        emq_milliseconds(&ms, cases[i].seconds, cases[i].min_ms, cases[i].max_ms, "lease", &error),
        EMQ_ERR_INVALID_ARGUMENT, "%g", cases[i].seconds);
    cr_assert_str_eq(error.message, cases[i].message);
    cr_assert_eq(ms, 42);
  }
}

Test(words, the_version_is_that_of_the_header) {
  int major, minor, patch, end = 0;
  cr_assert_str_eq(emq_version(), ECHOMQ_VERSION);
  cr_assert_eq(sscanf(emq_version(), "%d.%d.%d%n", &major, &minor, &patch, &end), 3);
  cr_assert_eq((size_t)end, strlen(emq_version()));
}
