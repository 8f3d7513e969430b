/* SPDX-License-Identifier: MIT */
/* The table of errors, how an emq_error is filled, and the class of each text of a server. */
#include <echomq/error.h>
#include <stdio.h>
#include <stdlib.h>

#include "guard.h"
#include "wire/error.h"
#include "wire/reply.h"

/* ---- the table ---- */

Test(errors, codes_never_change) {
  static const struct {
    int code;
    const char *name, *class_name;
    bool retriable;
  } rows[] = {
      {-1, "INVALID_ARGUMENT", "InvalidArgument", false},
      {-2, "NO_MEMORY", "NoMemory", true},
      {-3, "CLOSED", "Closed", false},
      {-4, "UNSUPPORTED", "Unsupported", false},
      {-10, "CONNECTION", "Connection", true},
      {-11, "TIMEOUT", "Timeout", true},
      {-12, "INTERRUPTED", "Interrupted", false},
      {-13, "UNKNOWN_OUTCOME", "UnknownOutcome", false},
      {-14, "PROTOCOL", "Protocol", false},
      {-20, "FENCE", "Fence", false},
      {-21, "AUTH", "Auth", false},
      {-22, "PERMISSION", "Permission", false},
      {-30, "LOADING", "Loading", true},
      {-31, "READONLY", "ReadOnly", true},
      {-32, "UNAVAILABLE", "Unavailable", true},
      {-33, "BUSY", "Busy", true},
      {-34, "MISCONFIGURED", "Misconfigured", true},
      {-35, "SERVER_MEMORY", "ServerMemory", true},
      {-36, "MAX_CLIENTS", "MaxClients", true},
      {-37, "REDIRECT", "Redirect", false},
      {-38, "WRONG_TYPE", "WrongType", false},
      {-39, "SCRIPT", "Script", true},
      {-40, "SERVER", "Server", false},
      {-50, "KIND", "Kind", false},
      {-51, "STALE", "Stale", false},
      {-52, "LOCKED", "Locked", false},
      {-53, "STATE", "State", false},
      {-54, "RATE", "Rate", true},
      {-55, "REFUSED", "Refused", false},
  };
  size_t count = sizeof rows / sizeof *rows;
  cr_assert_eq(emq_error_class_count(), count);
  for (size_t i = 0; i < count; i++) {
    const emq_error_class *row = emq_error_class_at(i);
    cr_assert_eq((int)row->code, rows[i].code);
    cr_assert_str_eq(row->name, rows[i].name);
    cr_assert_str_eq(row->class_name, rows[i].class_name);
    cr_assert_eq(row->retriable, rows[i].retriable, "%s", row->name);
    cr_assert_neq(row->text[0], '\0');
    cr_assert_eq(emq_error_class_of(row->code), row);
  }
  cr_assert_null(emq_error_class_at(count));
  cr_assert_null(emq_error_class_at(SIZE_MAX));
  cr_assert_null(emq_error_class_of(EMQ_OK));
  cr_assert_null(emq_error_class_of((emq_status)-1000));
}

/* ---- filling ---- */

Test(errors, filling_leaves_nothing_of_the_last_error) {
  emq_error error = {EMQ_ERR_FENCE, false, "old", "old", "old", "old"};
  cr_assert_eq(emq_fail(&error, EMQ_ERR_BUSY, "%s at %d", "wait", 5), EMQ_ERR_BUSY);
  cr_assert_eq(error.code, EMQ_ERR_BUSY);
  cr_assert(error.retriable);
  cr_assert_str_eq(error.message, "wait at 5");
  cr_assert_str_eq(error.server_text, "");
  cr_assert_str_eq(error.found, "");
  cr_assert_str_eq(error.expected, "");
  cr_assert_eq(emq_fail(&error, EMQ_ERR_STALE, "x"), EMQ_ERR_STALE);
  cr_assert_not(error.retriable);
  cr_assert_eq(emq_fail(NULL, EMQ_ERR_STALE, "%s", "x"), EMQ_ERR_STALE);
}

Test(errors, an_argument_may_lie_in_the_error_itself) {
  emq_error error = {EMQ_ERR_FENCE, false, "first", "server", "", ""};
  emq_fail(&error, EMQ_ERR_FENCE, "%s: %s", error.server_text, error.message);
  cr_assert_str_eq(error.message, "server: first");
  emq_error_classify(&error, "WRONGTYPE x", 11);
  emq_error_classify(&error, error.server_text, strlen(error.server_text));
  cr_assert_eq(error.code, EMQ_ERR_WRONG_TYPE);
  cr_assert_str_eq(error.server_text, "WRONGTYPE x");
}

Test(errors, a_long_message_is_cut_at_a_whole_character) {
  for (size_t ahead = 0; ahead < 8; ahead++) {
    char text[2 * EMQ_ERROR_MESSAGE_MAX + 1];
    memset(text, 'x', ahead);
    for (size_t i = ahead; i + 4 < sizeof text; i += 4)
      memcpy(text + i, "\xf0\x9f\x90\xa2", 5);
    emq_error error;
    emq_fail(&error, EMQ_ERR_SERVER, "%s", text);
    size_t len = strlen(error.message);
    cr_assert_eq(len, ahead + (EMQ_ERROR_MESSAGE_MAX - 1 - ahead) / 4 * 4);
    cr_assert_eq(strncmp(error.message, text, len), 0);
  }
  char text[EMQ_ERROR_MESSAGE_MAX + 1] = "";
  memset(text, 'x', EMQ_ERROR_MESSAGE_MAX - 1);
  emq_error error;
  emq_fail(&error, EMQ_ERR_SERVER, "%s", text);
  cr_assert_str_eq(error.message, text, "a message that just fits was cut");
  memcpy(text + EMQ_ERROR_MESSAGE_MAX - 2, "\xc3\xa9", 2);
  emq_fail(&error, EMQ_ERR_SERVER, "%s", text);
  cr_assert_eq(strlen(error.message), EMQ_ERROR_MESSAGE_MAX - 2, "half a character is left");
}

/* ---- quoting ---- */

Test(errors, quoting_makes_one_printable_line) {
  static const struct {
    const char *bytes;
    size_t len;
    const char *quoted;
  } cases[] = {
      {"plain text", 10, "plain text"},
      {"", 0, ""},
      {NULL, 0, ""},
      {NULL, 4, ""},
      {"a\0b", 3, "a\\x00b"},
      {"\r\n\t", 3, "\\x0d\\x0a\\x09"},
      {"\"'\\", 3, "\\x22\\x27\\x5c"},
      {"\x7f", 1, "\\x7f"},
      {"%s%n", 4, "%s%n"},
      {"é日本🐢", 12, "é日本🐢"},
      {"\xc2\x85", 2, "\\xc2\\x85"},                   /* a control character in UTF-8 */
      {"\xe2\x80\xa8", 3, "\\xe2\\x80\\xa8"},          /* a line separator */
      {"\xff\xfe", 2, "\\xff\\xfe"},                   /* never UTF-8 */
      {"\xc0\x80", 2, "\\xc0\\x80"},                   /* overlong */
      {"\xe0\x80\x80", 3, "\\xe0\\x80\\x80"},          /* overlong */
      {"\xed\xa0\x80", 3, "\\xed\\xa0\\x80"},          /* a surrogate */
      {"\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80"}, /* past U+10FFFF */
      {"\xf0\x8f\xbf\xbf", 4, "\\xf0\\x8f\\xbf\\xbf"}, /* overlong */
      {"a\xe6\x97", 3, "a\\xe6\\x97"},                 /* cut short */
      {"\x80x", 2, "\\x80x"},                          /* a tail without a head */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char room[128];
    guarded input = guard(cases[i].bytes ? cases[i].bytes : "", cases[i].bytes ? cases[i].len : 0);
    const char *bytes = cases[i].bytes ? input.ptr : NULL;
    cr_assert_eq(emq_quote(room, sizeof room, bytes, cases[i].len), (const char *)room);
    cr_assert_str_eq(room, cases[i].quoted);
    unguard(&input);
  }
}

/* UTF-8 by its definition: the shortest form of a code point that is no surrogate. */
static size_t encode(char out[4], uint32_t point) {
  size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  for (size_t i = size - 1; i > 0; i--, point >>= 6)
    out[i] = (char)(0x80 | (point & 0x3f));
  static const unsigned char marks[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
  out[0] = (char)(marks[size] | point);
  return size;
}

Test(errors, every_character_is_quoted_as_itself_or_byte_by_byte) {
  for (uint32_t point = 0; point < 0x110000 + 0x1000; point++) {
    bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
    bool escaped = control || point == '"' || point == '\'' || point == '\\' || point == 0x2028 ||
                   point == 0x2029 || (point >= 0xd800 && point < 0xe000) || point > 0x10ffff;
    char bytes[4], wanted[17] = "", room[17];
    size_t len = encode(bytes, point);
    for (size_t i = 0; escaped && i < len; i++)
      snprintf(wanted + 4 * i, 5, "\\x%02x", (unsigned char)bytes[i]);
    if (!escaped)
      memcpy(wanted, bytes, len);
    emq_quote(room, sizeof room, bytes, len);
    if (strcmp(room, wanted) != 0)
      cr_assert_fail("U+%04X is quoted as %s", point, room);
  }
}

/* Whether bytes are one character, by encoding every candidate anew. */
static bool is_character(const char *bytes, size_t len) {
  unsigned char lead = (unsigned char)bytes[0];
  uint32_t point = lead & (len == 2 ? 0x1f : len == 3 ? 0x0f : 0x07);
  char again[4];
  for (size_t i = 1; i < len; i++)
    point = point << 6 | ((unsigned char)bytes[i] & 0x3f);
  return (point < 0xd800 || point >= 0xe000) && point < 0x110000 && encode(again, point) == len &&
         memcmp(again, bytes, len) == 0;
}

Test(errors, bytes_that_are_no_character_are_escaped) {
  static const unsigned char tails[] = {0x00, 0x41, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x9f,
                                        0xa0, 0xaf, 0xb0, 0xbe, 0xbf, 0xc0, 0xff};
  enum { TAILS = sizeof tails };
  for (unsigned lead = 0x80; lead < 0x100; lead++) {
    for (unsigned i = 0; i < TAILS * TAILS * TAILS; i++) {
      char bytes[] = {(char)lead, (char)tails[i % TAILS], (char)tails[i / TAILS % TAILS],
                      (char)tails[i / TAILS / TAILS]};
      size_t whole = 1;
      for (size_t len = 2; len <= 4; len++)
        if (is_character(bytes, len))
          whole = len;
      bool c1 = lead == 0xc2 && (unsigned char)bytes[1] < 0xa0;
      bool separator =
          memcmp(bytes, "\xe2\x80\xa8", 3) == 0 || memcmp(bytes, "\xe2\x80\xa9", 3) == 0;
      char room[17];
      emq_quote(room, sizeof room, bytes, 4);
      if ((room[0] == '\\') != (whole == 1 || c1 || separator))
        cr_assert_fail("%02x %02x %02x %02x is quoted as %s", lead, (unsigned char)bytes[1],
                       (unsigned char)bytes[2], (unsigned char)bytes[3], room);
    }
  }
}

Test(errors, quoting_stays_in_its_room) {
  static const char bytes[] = "ab\xe6\x97\xa5"
                              "cd\x01"
                              "ef";
  static const char whole[] = "ab\xe6\x97\xa5"
                              "cd\\x01ef";
  for (size_t size = 1; size <= sizeof whole + 4; size++) {
    guarded room = guard_room(size);
    emq_quote(room.ptr, size, bytes, sizeof bytes - 1);
    size_t len = strlen(room.ptr);
    cr_assert_lt(len, size);
    if (size >= sizeof whole) {
      cr_assert_str_eq(room.ptr, whole);
    } else if (size >= 4) {
      cr_assert_str_eq(room.ptr + len - 3, "...");
      cr_assert_eq(strncmp(room.ptr, whole, len - 3), 0);
      cr_assert_neq((unsigned char)whole[len - 3] & 0xc0, 0x80, "cut inside a character");
    }
    unguard(&room);
  }
}

/* ---- the texts of servers ---- */

#define SHA "db8d8f6383e1a67ce23db65efd679a334c123806"
#define AT " script: " SHA ", on @user_script:1."
#define RUNNING "ERR Error running script (call to f_" SHA "): "

static const struct {
  const char *text;
  emq_status status;
} texts[] = {
    /* as Valkey 8.0 and Redis 7.0 say them */
    {"NOAUTH Authentication required.", EMQ_ERR_AUTH},
    {"NOAUTH HELLO must be called with the client already authenticated", EMQ_ERR_AUTH},
    {"WRONGPASS invalid username-password pair or user is disabled.", EMQ_ERR_AUTH},
    {"ERR invalid password", EMQ_ERR_AUTH},
    {"ERR AUTH <password> called without any password configured for the default user. Are you "
     "sure your configuration is correct?",
     EMQ_ERR_AUTH},
    {"ERR Client sent AUTH, but no password is set", EMQ_ERR_AUTH},
    {"NOPERM this user has no permissions to access one of the keys used as arguments",
     EMQ_ERR_PERMISSION},
    {"NOPERM No permissions to access a key", EMQ_ERR_PERMISSION},
    {"NOPERM User u has no permissions to run the 'set' command", EMQ_ERR_PERMISSION},
    {"ERR ACL failure in script: User u has no permissions to run the 'set' command" AT,
     EMQ_ERR_PERMISSION},
    {"ERR ACL failure in script: No permissions to access a key" AT, EMQ_ERR_PERMISSION},
    {"ERR The user executing the script can't run this command or subcommand" AT,
     EMQ_ERR_PERMISSION},
    {"ERR The user executing the script can't access at least one of the keys mentioned in the "
     "command arguments" AT,
     EMQ_ERR_PERMISSION},
    {"LOADING Redis is loading the dataset in memory", EMQ_ERR_LOADING},
    {"LOADING Valkey is loading the dataset in memory", EMQ_ERR_LOADING},
    {"READONLY You can't write against a read only replica.", EMQ_ERR_READONLY},
    {"READONLY You can't write against a read only replica." AT, EMQ_ERR_READONLY},
    {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
     EMQ_ERR_UNAVAILABLE},
    {"CLUSTERDOWN The cluster is down", EMQ_ERR_UNAVAILABLE},
    {"CLUSTERDOWN Hash slot not served", EMQ_ERR_UNAVAILABLE},
    {"TRYAGAIN Multiple keys request during rehashing of slot", EMQ_ERR_UNAVAILABLE},
    {"NOREPLICAS Not enough good replicas to write.", EMQ_ERR_UNAVAILABLE},
    {"NOREPLICAS Not enough good replicas to write." AT, EMQ_ERR_UNAVAILABLE},
    {"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
     EMQ_ERR_BUSY},
    {"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to "
     "disk.",
     EMQ_ERR_MISCONFIGURED},
    {"OOM command not allowed when used memory > 'maxmemory'.", EMQ_ERR_SERVER_MEMORY},
    {"OOM command not allowed when used memory > 'maxmemory'." AT, EMQ_ERR_SERVER_MEMORY},
    {"ERR max number of clients reached", EMQ_ERR_MAX_CLIENTS},
    {"ERR max number of clients + cluster connections reached", EMQ_ERR_MAX_CLIENTS},
    {"MOVED 3999 127.0.0.1:6381", EMQ_ERR_REDIRECT},
    {"ASK 3999 127.0.0.1:6381", EMQ_ERR_REDIRECT},
    {"CROSSSLOT Keys in request don't hash to the same slot", EMQ_ERR_REDIRECT},
    {"ERR Script attempted to access a non local key in a cluster node" AT, EMQ_ERR_REDIRECT},
    {"ERR Script attempted to access keys that do not hash to the same slot" AT, EMQ_ERR_REDIRECT},
    {"WRONGTYPE Operation against a key holding the wrong kind of value", EMQ_ERR_WRONG_TYPE},
    {"WRONGTYPE Operation against a key holding the wrong kind of value" AT, EMQ_ERR_WRONG_TYPE},
    {"NOSCRIPT No matching script. Please use EVAL.", EMQ_ERR_SCRIPT},
    {"NOSCRIPT No matching script.", EMQ_ERR_SCRIPT},
    {"ERR unknown command 'EMQ.CLAIM', with args beginning with: 'a' ", EMQ_ERR_SERVER},
    {"ERR Error compiling script (new function): user_script:1: unexpected symbol near '=='",
     EMQ_ERR_SERVER},
    {"ERR user_script:1: boom" AT, EMQ_ERR_SERVER},
    {"ERR value is not a valid float" AT, EMQ_ERR_SERVER},
    /* raised again by a script */
    {"ERR user_script:1: WRONGTYPE Operation against a key holding the wrong kind of value" AT,
     EMQ_ERR_WRONG_TYPE},
    {"ERR user_script:1: EMQSTALE complete token mismatch" AT, EMQ_ERR_STALE},
    {"user_script:1: WRONGTYPE Operation against a key", EMQ_ERR_WRONG_TYPE},
    {"user_script:7: -READONLY You can't write", EMQ_ERR_READONLY},
    /* as older servers say them */
    {RUNNING "@user_script:12: @user_script: 12: -OOM command not allowed when used memory > "
             "'maxmemory'.",
     EMQ_ERR_SERVER_MEMORY},
    {RUNNING "@user_script:3: @user_script: 3: -READONLY You can't write against a read only "
             "replica.",
     EMQ_ERR_READONLY},
    {RUNNING "@user_script:3: -NOREPLICAS Not enough good replicas to write.", EMQ_ERR_UNAVAILABLE},
    {RUNNING "@user_script:1: WRONGTYPE Operation against a key holding the wrong kind of value",
     EMQ_ERR_WRONG_TYPE},
    {RUNNING "@user_script:1: @user_script: 1: -MISCONF Redis is configured to save RDB snapshots",
     EMQ_ERR_MISCONFIGURED},
    {RUNNING "@user_script:1: @user_script: 1: -NOPERM this user has no permissions",
     EMQ_ERR_PERMISSION},
    {RUNNING "@user_script:1: @user_script: 1: The user executing the script can't run this "
             "command or subcommand",
     EMQ_ERR_PERMISSION},
    {RUNNING "@user_script:4: EMQLOCK job is locked", EMQ_ERR_LOCKED},
    {RUNNING "@user_script:109: @user_script: 90: EMQRATE at concurrency ceiling", EMQ_ERR_RATE},
    {RUNNING "-LOADING", EMQ_ERR_LOADING},
    {RUNNING "@user_script: EMQRATE without a line", EMQ_ERR_SERVER},
    {"ERR Error running script (call to f_0) EMQRATE without a colon", EMQ_ERR_SERVER},
    {RUNNING "@user_script:1: user_script:1: boom", EMQ_ERR_SERVER},
    {RUNNING "@user_script: 1: Unknown Redis command called from Lua script", EMQ_ERR_SERVER},
    {"ERR Error running script (call to f_", EMQ_ERR_SERVER},
    /* the transitions' refusals */
    {"EMQKIND job id must be JOB-namespaced", EMQ_ERR_KIND},
    {"EMQSTALE complete token mismatch", EMQ_ERR_STALE},
    {"EMQSTALE retry token mismatch", EMQ_ERR_STALE},
    {"EMQSTALE job gone", EMQ_ERR_STALE},
    {"EMQSTALE delay token mismatch", EMQ_ERR_STALE},
    {"EMQSTALE extend token mismatch", EMQ_ERR_STALE},
    {"EMQSTALE lease lapsed", EMQ_ERR_STALE},
    {"EMQLOCK job is locked", EMQ_ERR_LOCKED},
    {"EMQSTATE not dead", EMQ_ERR_STATE},
    {"EMQSTATE not paused", EMQ_ERR_STATE},
    {"EMQSTATE active jobs present", EMQ_ERR_STATE},
    {"EMQSTATE not active", EMQ_ERR_STATE},
    {"EMQRATE at concurrency ceiling", EMQ_ERR_RATE},
    {"EMQFLOW of a later wire", EMQ_ERR_REFUSED},
    {"EMQSTALER than stale", EMQ_ERR_REFUSED},
    {"EMQ", EMQ_ERR_REFUSED},
    /* no code that we know, or not at the start */
    {"EXECABORT Transaction discarded because of previous errors.", EMQ_ERR_SERVER},
    {"ERR OOM is a word here", EMQ_ERR_SERVER},
    {"ERR the job EMQSTALE complete", EMQ_ERR_SERVER},
    {"wrongtype in lower case", EMQ_ERR_SERVER},
    {"OOMPH", EMQ_ERR_SERVER},
    {"max number of clients reached", EMQ_ERR_SERVER},
    {"", EMQ_ERR_SERVER},
    {" ", EMQ_ERR_SERVER},
    {"-", EMQ_ERR_SERVER},
    {"ERR ", EMQ_ERR_SERVER},
};
enum { TEXTS = sizeof texts / sizeof *texts };

Test(errors, every_text_has_its_class) {
  for (size_t i = 0; i < TEXTS; i++) {
    size_t len = strlen(texts[i].text);
    guarded input = guard(texts[i].text, len);
    emq_error error = {EMQ_ERR_FENCE, false, "old", "old", "old", "old"};
    cr_assert_eq(emq_error_classify(&error, input.ptr, len), texts[i].status, "%s: %s",
                 texts[i].text, error.message);
    cr_assert_eq(error.code, texts[i].status);
    cr_assert_eq(error.retriable, emq_error_class_of(texts[i].status)->retriable);
    cr_assert_str_eq(error.server_text, texts[i].text);
    cr_assert_str_eq(error.found, "");
    cr_assert_eq(emq_error_classify(NULL, input.ptr, len), texts[i].status);
    unguard(&input);

    char marked[512] = "-";
    cr_assert_lt(len, sizeof marked - 1);
    memcpy(marked + 1, texts[i].text, len);
    cr_assert_eq(emq_error_classify(NULL, marked, len + 1), texts[i].status, "%s", marked);
  }
  cr_assert_eq(emq_error_classify(NULL, NULL, 0), EMQ_ERR_SERVER);
}

Test(errors, every_refusal_of_the_server_has_a_text_here) {
  for (size_t i = 0; i < emq_error_class_count(); i++) {
    const emq_error_class *row = emq_error_class_at(i);
    bool from_server = row->code <= EMQ_ERR_AUTH;
    size_t found = 0;
    for (size_t j = 0; j < TEXTS; j++)
      found += texts[j].status == row->code;
    cr_assert_eq(found > 0, from_server, "%s has %zu texts", row->name, found);
  }
}

Test(errors, the_message_is_the_class_and_the_servers_words) {
  emq_error error;
  emq_error_classify(&error, "-EMQSTALE complete token mismatch", 33);
  cr_assert_str_eq(error.message,
                   "the token is not the job's current one: EMQSTALE complete token mismatch");
  cr_assert_str_eq(error.server_text, "-EMQSTALE complete token mismatch");
  emq_error_classify(&error, "ERR can't \"do\"\nthis\0\xff", 21);
  cr_assert_str_eq(error.message,
                   "the server refused the command: ERR can't \"do\"\\x0athis\\x00\\xff");
  cr_assert_str_eq(error.server_text, "ERR can't \"do\"\\x0athis\\x00\\xff");
}

Test(errors, a_long_text_is_cut_to_its_rooms) {
  static char text[100000];
  memset(text, 'x', sizeof text);
  memcpy(text, "OOM ", 4);
  emq_error error;
  cr_assert_eq(emq_error_classify(&error, text, sizeof text), EMQ_ERR_SERVER_MEMORY);
  cr_assert_eq(strlen(error.server_text), EMQ_ERROR_TEXT_MAX - 1);
  cr_assert_lt(strlen(error.message), EMQ_ERROR_MESSAGE_MAX);
  cr_assert_str_eq(error.message + strlen(error.message) - 3, "...");
}

Test(errors, texts_cut_short_or_damaged_still_have_a_class) {
  uint64_t seed = 255;
  for (size_t i = 0; i < TEXTS; i++) {
    size_t whole = strlen(texts[i].text);
    for (size_t len = 0; len <= whole; len++) {
      guarded input = guard(texts[i].text, len);
      for (int damage = 0; damage < 4; damage++) {
        emq_error error = EMQ_ERROR_INIT;
        emq_status status = emq_error_classify(&error, input.ptr, len);
        cr_assert_not_null(emq_error_class_of(status));
        cr_assert_eq(error.code, status);
        cr_assert_neq(error.message[0], '\0');
        if (len > 0)
          input.ptr[random_below(&seed, len)] = (char)next_random(&seed);
      }
      unguard(&input);
    }
  }
}
