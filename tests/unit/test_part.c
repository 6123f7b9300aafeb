// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "base/file.h"
#include "base/part.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// The number of a process that has ended.
static long gone(void) {
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        _exit(0);
    }
    cr_assert_eq(waitpid(child, NULL, 0), child);
    return (long)child;
}

static void enter(const char* name) {
    cr_assert_eq(mkdir(name, 0777), 0);
    cr_assert_eq(chdir(name), 0);
}

static const char* part_of(const char* file, long pid, char name[64]) {
    snprintf(name, 64, "%s.%ld.part", file, pid);
    return name;
}

static void put(const char* file, long pid) {
    char name[64];
    FILE* stream = fopen(part_of(file, pid, name), "w");
    cr_assert_not_null(stream);
    fclose(stream);
}

static bool is_there(const char* file, long pid) {
    char name[64];
    return hed_file_exists(part_of(file, pid, name));
}

Test(part, parse_knows_its_own_names_alone) {
    long pid = 0;
    char name[64];
    hed_part_name("a/checkpoint", name, sizeof name);
    cr_expect_eq(hed_part_parse(name, &pid), strlen("a/checkpoint"));
    cr_expect_eq(pid, (long)getpid());
    cr_expect_eq(hed_part_parse("x.7.part", &pid), 1);
    cr_expect_eq(pid, 7);
    static const char* const OTHERS[] = {"",           ".part",     "a.part",
                                         "a.b.part",   ".5.part",   "7.part",
                                         "a.007.part", "a.7.parts", "a7.part",
                                         "a.-7.part",  "a.7part",   "a.99999999999999999999.part"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; ++i) {
        cr_expect_eq(hed_part_parse(OTHERS[i], &pid), 0, "%s", OTHERS[i]);
    }
}

Test(part, sweep_removes_what_killed_writers_of_the_file_left) {
    enter("sweep");
    long dead = gone();
    static const char* const LEFT[] = {"a.obj", "a.0001.obj", "a.012345.obj"};
    static const char* const KEPT[] = {"b.obj", "a.ply", "aa.obj", "a.x.obj", "a.0001.x.obj", "a"};
    for (size_t i = 0; i < sizeof LEFT / sizeof LEFT[0]; ++i) {
        put(LEFT[i], dead);
        put(LEFT[i], (long)getpid());
        put(LEFT[i], (long)getppid());
    }
    for (size_t i = 0; i < sizeof KEPT / sizeof KEPT[0]; ++i) {
        put(KEPT[i], dead);
    }
    hed_part_sweep("a.obj");
    for (size_t i = 0; i < sizeof LEFT / sizeof LEFT[0]; ++i) {
        cr_expect_not(is_there(LEFT[i], dead), "%s", LEFT[i]);
        cr_expect(is_there(LEFT[i], (long)getpid()), "%s", LEFT[i]);
        cr_expect(is_there(LEFT[i], (long)getppid()), "%s", LEFT[i]);
    }
    for (size_t i = 0; i < sizeof KEPT / sizeof KEPT[0]; ++i) {
        cr_expect(is_there(KEPT[i], dead), "%s", KEPT[i]);
    }
}

Test(part, sweep_of_a_frame_covers_its_series_and_no_links_or_directories) {
    enter("frames");
    long dead = gone();
    char name[64];
    cr_assert_eq(mkdir("deep", 0777), 0);
    put("deep/c.0002.vtp", dead);
    put("target", 1);
    cr_assert_eq(symlink("../target.1.part", part_of("deep/c.0003.vtp", dead, name)), 0);
    cr_assert_eq(mkdir(part_of("deep/c.0004.vtp", dead, name), 0777), 0);
    hed_part_sweep("deep/c.0001.vtp");
    cr_expect_not(is_there("deep/c.0002.vtp", dead));
    cr_expect(is_there("deep/c.0003.vtp", dead));
    cr_expect(is_there("deep/c.0004.vtp", dead));
    cr_expect(hed_file_exists("target.1.part"));
    hed_part_sweep("none/c.obj"); // a directory that is not there is clean
}
