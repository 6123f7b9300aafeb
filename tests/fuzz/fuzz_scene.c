// SPDX-License-Identifier: MIT
// Reads scenes. A line "--set path=value" at the end of the input is an override. Whatever is taken
// must read back from its own text to the same text.
#include "heddle/scene.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Large grids are valid scenes; here they run out of memory instead of time.
static void* allocate(size_t size, size_t alignment) {
    return size > ((size_t)4 << 20) ? NULL : aligned_alloc(alignment, size);
}

static void check_text(const HedScene* scene) {
    const char* text = hed_scene_text(scene);
    HedScene* again = NULL;
    HedError error;
    HedStatus status =
        hed_scene_parse(text, strlen(text), "again.yaml", NULL, NULL, 0, &again, &error);
    if (status != HED_OK ? status != HED_NO_MEMORY : strcmp(text, hed_scene_text(again)) != 0) {
        abort();
    }
    hed_scene_destroy(again);
}

static void read_scene(const char* text, size_t size, const char* override) {
    HedScene* scene = NULL;
    HedError error = {0};
    HedStatus status =
        hed_scene_parse(text, size, "fuzz.yaml", NULL, &override, override != NULL, &scene, &error);
    if (status == HED_OK) {
        check_text(scene);
    } else if (!error.message[0] || scene) {
        abort();
    }
    hed_scene_destroy(scene);
}

// libfyaml 0.7.12 loses 2 kB for each single-quoted scalar with nine or more doubled quotes.
// Leaks of ours show in hed_alloc_stats.
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void) {
    return "leak:libfyaml.so\n";
}

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerInitialize(int* argc, char*** argv) {
    (void)argc;
    (void)argv;
    hed_alloc_set_hooks(allocate, free);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const char MARK[] = "\n--set ";
    char* text = malloc(size + 1);
    if (!text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    char* mark = size > 0 ? strstr(text, MARK) : NULL;
    char* override = mark ? mark + strlen(MARK) : NULL;
    if (override) {
        override[strcspn(override, "\n")] = '\0';
    }
    read_scene(text, mark ? (size_t)(mark - text) + 1 : size, override);
    free(text);
    if (hed_alloc_stats().live_count != 0) {
        abort();
    }
    return 0;
}
