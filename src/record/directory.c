// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // flock
#include "record/directory.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/part.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char* const NAMES[HED_RUN_FILE_COUNT] = {
    [HED_RUN_SCENE] = "scene.yaml",
    [HED_RUN_SUMMARY] = "summary.json",
    [HED_RUN_ENERGY] = "energy.csv",
    [HED_RUN_MEASURE] = "measure.csv",
    [HED_RUN_CHECKPOINT] = "checkpoint",
    [HED_RUN_BEFORE] = "checkpoint.before",
    [HED_RUN_FRAMES] = "frames",
    [HED_RUN_OBJECTS] = "frames/objects.hed",
    [HED_RUN_LOCK] = ".lock",
};

// First bytes of the lock file: they tell a run of ours from a directory that looks like one.
static const char MARK[] = "heddle";

HedStatus hed_run_directory_init(HedRunDirectory* directory, const char* root, HedError* error) {
    *directory = (HedRunDirectory){0};
    directory->root = hed_text_copy(root);
    directory->frame_size = strlen(root) + 48;
    directory->frame = hed_alloc(directory->frame_size);
    bool ok = directory->root && directory->frame;
    for (int32_t i = 0; i < HED_RUN_FILE_COUNT; ++i) {
        directory->path[i] = hed_path_join(root, NAMES[i]);
        ok = ok && directory->path[i];
    }
    if (!ok) {
        hed_run_directory_free(directory);
        return hed_fail_memory(error, root);
    }
    return HED_OK;
}

void hed_run_directory_free(HedRunDirectory* directory) {
    if (directory->lock > 0) {
        close(directory->lock - 1);
    }
    for (int32_t i = 0; i < HED_RUN_FILE_COUNT; ++i) {
        hed_free(directory->path[i]);
    }
    hed_free(directory->frame);
    hed_free(directory->root);
    *directory = (HedRunDirectory){0};
}

const char* hed_run_frame_path(const HedRunDirectory* directory, int64_t frame) {
    snprintf(directory->frame, directory->frame_size, "%s/%06" PRId64 ".hed",
             directory->path[HED_RUN_FRAMES], frame);
    return directory->frame;
}

typedef enum Lock {
    LOCK_MISSING,
    LOCK_EMPTY,  // whoever made it was killed before the mark
    LOCK_MARKED, // a run has begun
    LOCK_FOREIGN // somebody else's file, or no plain file
} Lock;

// Opens the lock as it is: a link leads elsewhere, and a pipe would make us wait.
static int open_lock(const char* path, int flags) {
    return open(path, O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0666);
}

static Lock look_at_lock(const char* path) {
    int file = open_lock(path, O_RDONLY);
    if (file < 0) {
        return errno == ENOENT || errno == ENOTDIR ? LOCK_MISSING : LOCK_FOREIGN;
    }
    char head[sizeof MARK] = {0};
    struct stat info;
    Lock lock = LOCK_FOREIGN;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
        bool is_marked = pread(file, head, sizeof MARK - 1, 0) == (ssize_t)(sizeof MARK - 1) &&
                         strcmp(head, MARK) == 0;
        lock = is_marked ? LOCK_MARKED : info.st_size == 0 ? LOCK_EMPTY : LOCK_FOREIGN;
    }
    close(file);
    return lock;
}

bool hed_run_directory_is_run(const HedRunDirectory* directory) {
    return hed_file_exists(directory->path[HED_RUN_OBJECTS]) ||
           look_at_lock(directory->path[HED_RUN_LOCK]) == LOCK_MARKED;
}

int32_t hed_run_directory_frames(const HedRunDirectory* directory, int32_t known) {
    while (known < INT32_MAX && hed_file_exists(hed_run_frame_path(directory, known))) {
        ++known;
    }
    return known;
}

HedStatus hed_run_directory_check(const HedRunDirectory* directory, bool resume, bool force,
                                  HedError* error) {
    const char* root = directory->root;
    if (!hed_file_exists(root)) {
        return HED_OK;
    }
    if (!hed_file_is_directory(root)) {
        return hed_fail(error, HED_INVALID, "%s: is a file, a run needs a directory", root);
    }
    if (look_at_lock(directory->path[HED_RUN_LOCK]) == LOCK_FOREIGN) {
        return hed_fail(error, HED_EXISTS,
                        "%s: is there already and is no run's lock; choose another directory",
                        directory->path[HED_RUN_LOCK]);
    }
    if (hed_run_directory_is_run(directory)) {
        if (!resume && !force) {
            bool finished = hed_file_exists(directory->path[HED_RUN_SUMMARY]);
            return hed_fail(error, HED_EXISTS, "%s: holds %s run; --%s, or --force to replace it",
                            root, finished ? "a" : "an unfinished",
                            finished ? "resume --duration T to go on further" : "resume to go on");
        }
        return HED_OK;
    }
    for (int32_t i = 0; i <= HED_RUN_FRAMES; ++i) {
        if (hed_file_exists(directory->path[i])) {
            return hed_fail(error, HED_EXISTS,
                            "%s: is there already and belongs to no run; choose another directory",
                            directory->path[i]);
        }
    }
    return HED_OK;
}

static HedStatus fail_locked(const HedRunDirectory* directory, int file, HedError* error) {
    char text[64] = {0};
    ssize_t size = pread(file, text, sizeof text - 1, 0);
    HedSpan rest = {text, size > 0 ? (int32_t)size : 0};
    HedSpan word = {0};
    int64_t pid = 0;
    if (!hed_span_word(&rest, &word) || !hed_span_equal(word, MARK) ||
        !hed_span_word(&rest, &word) || !hed_span_int64(word, &pid)) {
        return hed_fail(error, HED_EXISTS, "%s: another process is writing this run",
                        directory->root);
    }
    return hed_fail(error, HED_EXISTS, "%s: process %" PRId64 " is writing this run",
                    directory->root, pid);
}

bool hed_run_directory_is_locked(const HedRunDirectory* directory) {
    if (hed_file_exists(directory->path[HED_RUN_SUMMARY])) {
        return false; // written last
    }
    int file = open_lock(directory->path[HED_RUN_LOCK], O_RDONLY);
    if (file < 0) {
        return false;
    }
    bool is_locked = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(file);
    return is_locked;
}

// A reader that asks whether the run is locked holds the lock for a moment: that is no other
// writer. File systems without locks (ENOTSUP, ENOLCK) lose this protection, not the run.
static bool take_lock(int file) {
    enum { TRIES = 5 };
    for (int k = 0; k < TRIES; ++k) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
            return true;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    }
    return false;
}

// The mark is there at every moment from the first one on: it is written over the old one, and what
// is too long is cut off afterwards.
static HedStatus write_mark(const HedRunDirectory* directory, int file, HedError* error) {
    char text[64];
    int size = snprintf(text, sizeof text, "%s %ld\n", MARK, (long)getpid());
    errno = 0;
    if (pwrite(file, text, (size_t)size, 0) != size || ftruncate(file, size) != 0) {
        int failure = errno ? errno : ENOSPC;
        return hed_fail(error, HED_IO, "%s: %s", directory->path[HED_RUN_LOCK], strerror(failure));
    }
    return HED_OK;
}

HedStatus hed_run_directory_claim(HedRunDirectory* directory, bool resume, bool force,
                                  HedError* error) {
    HedStatus status = HED_OK;
    HED_TRY(hed_directory_make(directory->root, error));
    const char* path = directory->path[HED_RUN_LOCK];
    int file = open_lock(path, O_RDWR | O_CREAT);
    if (file < 0) {
        return hed_fail(error, HED_IO, "%s: %s", path, strerror(errno));
    }
    directory->lock = file + 1;
    if (!take_lock(file)) {
        return fail_locked(directory, file, error);
    }
    // Another process may have come and gone since the first check.
    HED_TRY(hed_run_directory_check(directory, resume, force, error));
    HED_TRY(write_mark(directory, file, error));
    HED_TRY(hed_directory_make(directory->path[HED_RUN_FRAMES], error));
done:
    return status;
}

static size_t digit_count(const char* text) {
    return strspn(text, "0123456789");
}

static bool is_frame_name(const char* name) {
    size_t digits = digit_count(name);
    return digits >= 6 && strcmp(name + digits, ".hed") == 0;
}

// The name that a temporary file of HedWriter ("checkpoint.123.part") would have got, or "".
static void final_name(const char* name, char out[64]) {
    long pid = 0;
    size_t size = hed_part_parse(name, &pid);
    size = size < 64 ? size : 0;
    memcpy(out, name, size);
    out[size] = '\0';
}

static bool is_root_part(const char* name) {
    char final[64];
    final_name(name, final);
    for (int32_t i = 0; i < HED_RUN_FRAMES; ++i) {
        if (strcmp(final, NAMES[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_frames_part(const char* name) {
    char final[64];
    final_name(name, final);
    return strcmp(final, "objects.hed") == 0 || is_frame_name(final);
}

static bool is_frames_file(const char* name) {
    return is_frame_name(name) || is_frames_part(name);
}

// Removes the files in a directory that `wanted` picks by name; returns the first errno, or 0.
static int remove_files(const char* path, bool (*wanted)(const char* name)) {
    DIR* listing = opendir(path);
    if (!listing) {
        return errno == ENOENT ? 0 : errno;
    }
    int failure = 0;
    const struct dirent* entry = NULL;
    while ((entry = readdir(listing)) != NULL) {
        if (wanted(entry->d_name) && unlinkat(dirfd(listing), entry->d_name, 0) != 0 && !failure) {
            failure = errno;
        }
    }
    closedir(listing);
    return failure;
}

HedStatus hed_run_directory_clear(const HedRunDirectory* directory, HedError* error) {
    static const HedRunFile ORDER[] = {HED_RUN_BEFORE, HED_RUN_CHECKPOINT, HED_RUN_SUMMARY,
                                       HED_RUN_ENERGY, HED_RUN_MEASURE,    HED_RUN_OBJECTS};
    for (size_t i = 0; i < sizeof ORDER / sizeof ORDER[0]; ++i) {
        const char* path = directory->path[ORDER[i]];
        if (unlink(path) != 0 && errno != ENOENT) {
            return hed_fail(error, HED_IO, "%s: %s", path, strerror(errno));
        }
    }
    int failure = remove_files(directory->path[HED_RUN_FRAMES], is_frames_file);
    if (failure) {
        return hed_fail(error, HED_IO, "%s: %s", directory->path[HED_RUN_FRAMES],
                        strerror(failure));
    }
    hed_run_directory_tidy(directory);
    return HED_OK;
}

void hed_run_directory_tidy(const HedRunDirectory* directory) {
    remove_files(directory->root, is_root_part);
    remove_files(directory->path[HED_RUN_FRAMES], is_frames_part);
}
