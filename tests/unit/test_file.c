// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // mkfifo, opendir, getuid
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_content(const char* path, const char* expected) {
    HedText text;
    cr_assert_eq(hed_text_read(path, &text, NULL), HED_OK, "%s", path);
    cr_assert_str_eq(text.data, expected);
    hed_text_free(&text);
}

static void put(const char* path, const char* content) {
    HedWriter writer = {0};
    cr_assert_eq(hed_writer_open(&writer, path, NULL), HED_OK);
    hed_writer_bytes(&writer, content, strlen(content));
    cr_assert_eq(hed_writer_commit(&writer, NULL), HED_OK);
}

// A directory of a test's own, entered.
static void enter(const char* name) {
    cr_assert_eq(mkdir(name, 0777), 0);
    cr_assert_eq(chdir(name), 0);
}

static int entries_here(void) {
    DIR* directory = opendir(".");
    int count = 0;
    for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count;
}

Test(writer, commit_shows_the_whole_new_content_at_once) {
    enter("commit");
    put("a.txt", "old");
    HedWriter writer = {0};
    cr_assert_eq(hed_writer_open(&writer, "a.txt", NULL), HED_OK);
    hed_writer_print(&writer, "%s %d ", "new", 7);
    hed_writer_double(&writer, 0.1);
    hed_writer_bytes(&writer, NULL, 0);
    expect_content("a.txt", "old");
    cr_assert_eq(hed_writer_commit(&writer, NULL), HED_OK);
    expect_content("a.txt", "new 7 0.1");
    cr_assert_eq(entries_here(), 1);
    hed_writer_abandon(&writer);
    expect_content("a.txt", "new 7 0.1");
}

Test(writer, abandoned_leaves_old_content_and_no_trace) {
    enter("abandon");
    put("a.txt", "old");
    HedWriter writer = {0};
    cr_assert_eq(hed_writer_open(&writer, "a.txt", NULL), HED_OK);
    hed_writer_print(&writer, "half of the n");
    cr_assert_eq(entries_here(), 2);
    hed_writer_abandon(&writer);
    expect_content("a.txt", "old");
    cr_assert_eq(entries_here(), 1);
    HedWriter untouched = {0};
    hed_writer_abandon(&untouched);
}

Test(writer, bad_places_are_reported) {
    enter("bad-places");
    HedError error = {0};
    HedWriter writer = {0};
    cr_assert_eq(hed_writer_open(&writer, "none/a.txt", &error), HED_IO);
    cr_assert_not_null(strstr(error.message, "none/a.txt"));
    cr_assert_eq(mkdir("folder", 0777), 0);
    cr_assert_eq(hed_writer_open(&writer, "folder", &error), HED_IO);
    cr_assert_not_null(strstr(error.message, "directory"));
    cr_assert_eq(entries_here(), 1);
}

Test(writer, a_full_disk_fails_the_commit) {
    HedError error = {0};
    HedWriter writer = {0};
    if (hed_writer_open(&writer, "/dev/full", &error) != HED_OK) {
        return; // a system without this device
    }
    for (int i = 0; i < 100000; ++i) {
        hed_writer_print(&writer, "%d\n", i);
    }
    cr_assert_eq(hed_writer_commit(&writer, &error), HED_IO);
    cr_assert_not_null(strstr(error.message, "/dev/full: No space left"), "%s", error.message);
}

Test(writer, devices_and_pipes_stay_what_they_are) {
    enter("devices");
    put("/dev/null", "into nothing");
    struct stat info;
    cr_assert(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    put("pipe", "through");
    char got[16] = {0};
    cr_assert_eq(read(reader, got, sizeof got), 7);
    cr_assert_str_eq(got, "through");
    cr_assert(stat("pipe", &info) == 0 && S_ISFIFO(info.st_mode));
    close(reader);
}

Test(writer, every_failing_allocation_is_survived) {
    enter("memory");
    HedAllocStats before = hed_alloc_stats();
    for (int n = 1; n <= 2; ++n) {
        HedWriter writer = {0};
        hed_alloc_fail_at(n);
        cr_assert_eq(hed_writer_open(&writer, "a.txt", NULL), HED_NO_MEMORY);
        cr_assert_eq(hed_alloc_stats().live_count, before.live_count);
        cr_assert_eq(entries_here(), 0);
    }
    hed_alloc_fail_at(1);
    cr_assert_eq(hed_directory_make("x/y", NULL), HED_NO_MEMORY);
    hed_alloc_fail_at(1);
    cr_assert_null(hed_path_join("a", "b"));
    hed_alloc_fail_at(1);
    cr_assert_null(hed_path_directory("a/b"));
    hed_alloc_fail_at(1);
    cr_assert_null(hed_text_copy("a"));
}

Test(file, directories_are_made_with_parents) {
    enter("directories");
    HedError error = {0};
    cr_assert_eq(hed_directory_make("a/b//c/", &error), HED_OK);
    cr_assert(hed_file_is_directory("a/b/c"));
    cr_assert_eq(hed_directory_make("a/b/c", &error), HED_OK);
    cr_assert_eq(hed_directory_make("./a", &error), HED_OK);
    put("a/file", "x");
    cr_assert(hed_file_exists("a/file") && !hed_file_is_directory("a/file"));
    cr_assert_not(hed_file_exists("a/none"));
    cr_assert_eq(hed_directory_make("a/file/d", &error), HED_IO);
    cr_assert_not_null(strstr(error.message, "a/file"));
}

Test(file, the_reason_why_a_directory_cannot_be_made_is_kept) {
    HedError error = {0};
    cr_assert_eq(hed_directory_make("/proc/heddle/d", &error), HED_IO);
    // Linux refuses this for root too; a stat in between must not replace the reason.
    cr_assert_not_null(strstr(error.message, "/proc/heddle: "));
    char name[400];
    memset(name, 'n', sizeof name);
    name[399] = '\0';
    cr_assert_eq(hed_directory_make(name, &error), HED_IO);
    cr_assert_not_null(strstr(error.message, "File name too long"), "%s", error.message);
}

static void expect_owned(char* got, const char* expected) {
    cr_assert_not_null(got);
    cr_assert_str_eq(got, expected);
    hed_free(got);
}

Test(file, paths) {
    expect_owned(hed_path_join("a", "b"), "a/b");
    expect_owned(hed_path_join("a/", "b"), "a/b");
    expect_owned(hed_path_join("a", "/b"), "/b");
    expect_owned(hed_path_join("", "b"), "b");
    expect_owned(hed_path_join("/", "b"), "/b");
    expect_owned(hed_path_directory("a/b/c.obj"), "a/b");
    expect_owned(hed_path_directory("c.obj"), ".");
    expect_owned(hed_path_directory("/c.obj"), "/");
    cr_assert_str_eq(hed_path_extension("a.b/c.obj"), "obj");
    cr_assert_str_eq(hed_path_extension("a.b/c"), "");
    cr_assert_str_eq(hed_path_extension(".hidden"), "");
    cr_assert_str_eq(hed_path_extension("c.tar.gz"), "gz");
    cr_assert_str_eq(hed_path_extension("c."), "");
    expect_owned(hed_text_copy("text"), "text");
    cr_assert_null(hed_text_copy(NULL));
}

Test(writer, replace_waits_for_no_pipe) {
    enter("replace");
    cr_assert_eq(mkfifo("a.hed", 0666), 0);
    HedWriter writer = {0};
    cr_assert_eq(hed_writer_replace(&writer, "a.hed", NULL), HED_OK);
    hed_writer_bytes(&writer, "new", 3);
    cr_assert_eq(hed_writer_commit(&writer, NULL), HED_OK);
    expect_content("a.hed", "new");
    cr_assert_eq(entries_here(), 1);
}
