// SPDX-License-Identifier: MIT
#include "base/log.h"
#include "base/status.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

typedef struct Seen {
    int count;
    HedLogLevel level;
    char message[2 * HED_ERROR_TEXT];
} Seen;

static void remember(HedLogLevel level, const char* message, void* context) {
    Seen* seen = context;
    ++seen->count;
    seen->level = level;
    snprintf(seen->message, sizeof seen->message, "%s", message);
}

Test(log, goes_to_the_hook_while_there_is_one) {
    Seen seen = {0};
    hed_log(HED_LOG_INFO, "nobody listens");
    hed_log_set_hook(remember, &seen);
    hed_log(HED_LOG_WARNING, "step %d of %s", 3, "seven");
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.level, HED_LOG_WARNING);
    cr_assert_str_eq(seen.message, "step 3 of seven");
    hed_log_set_hook(NULL, NULL);
    hed_log(HED_LOG_INFO, "nobody listens");
    cr_assert_eq(seen.count, 1);
}

Test(log, long_messages_are_cut) {
    Seen seen = {0};
    char text[3 * HED_ERROR_TEXT];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    hed_log_set_hook(remember, &seen);
    hed_log(HED_LOG_DEBUG, "%s", text);
    cr_assert_eq(strlen(seen.message), HED_ERROR_TEXT - 1);
}

Test(status, fail_fills_error_and_returns_status) {
    HedError error = {0};
    cr_assert_eq(hed_fail(&error, HED_PARSE, "%s:%d: bad", "a.obj", 7), HED_PARSE);
    cr_assert_eq(error.status, HED_PARSE);
    cr_assert_str_eq(error.message, "a.obj:7: bad");
    cr_assert_eq(hed_fail(NULL, HED_IO, "no text wanted"), HED_IO);
    cr_assert_eq(hed_fail_memory(&error, "the mesh"), HED_NO_MEMORY);
    cr_assert_str_eq(error.message, "no memory for the mesh");
}

Test(status, a_message_can_be_wrapped_into_itself) {
    HedError error = {0};
    hed_fail(&error, HED_PARSE, "line %d is bad", 3);
    hed_fail(&error, error.status, "%s: %s (%s)", "scene.yaml", error.message, error.message);
    cr_assert_str_eq(error.message, "scene.yaml: line 3 is bad (line 3 is bad)");
}

Test(status, every_status_has_a_name_of_its_own) {
    for (int a = 0; a < HED_STATUS_COUNT; ++a) {
        const char* name = hed_status_name((HedStatus)a);
        cr_assert(name != NULL && name[0] != '\0');
        for (int b = 0; b < a; ++b) {
            cr_assert_str_neq(name, hed_status_name((HedStatus)b));
        }
    }
    cr_assert_str_eq(hed_status_name((HedStatus)99), "unknown status");
    cr_assert_str_eq(hed_status_name((HedStatus)-1), "unknown status");
}
