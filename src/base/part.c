// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "base/part.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char END[] = ".part";

void hed_part_name(const char* path, char* name, size_t size) {
    snprintf(name, size, "%s.%ld%s", path, (long)getpid(), END);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

size_t hed_part_parse(const char* name, long* pid) {
    size_t size = strlen(name);
    size_t end = sizeof END - 1;
    if (size <= end || strcmp(name + size - end, END) != 0) {
        return 0;
    }
    size_t digits = size - end;
    while (digits > 0 && is_digit(name[digits - 1])) {
        --digits;
    }
    bool is_number = digits + end < size && name[digits] != '0';
    if (digits < 2 || name[digits - 1] != '.' || !is_number) {
        return 0;
    }
    errno = 0;
    *pid = strtol(name + digits, NULL, 10);
    return errno == 0 && *pid <= INT_MAX ? digits - 1 : 0;
}

// "cloth.0012" is cut to "cloth".
static size_t without_number(const char* name, size_t size) {
    size_t dot = size;
    while (dot > 0 && is_digit(name[dot - 1])) {
        --dot;
    }
    return dot < size && dot > 1 && name[dot - 1] == '.' ? dot - 1 : size;
}

// The size of the name without its extension and without the number of a frame before that.
static size_t series_size(const char* name, size_t size, const char* extension) {
    size_t end = strlen(extension) + 1;
    bool has_end = extension[0] && size > end && name[size - end] == '.' &&
                   strncmp(name + size - end + 1, extension, end - 1) == 0;
    return has_end ? without_number(name, size - end) : 0;
}

// Whether a name in the directory is what a process that is gone left of `file`, or of a frame of
// the same series.
static bool is_left(const char* name, const char* file) {
    long pid = 0;
    size_t size = hed_part_parse(name, &pid);
    if (size == 0 || pid == getpid() || kill((pid_t)pid, 0) == 0 || errno != ESRCH) {
        return false;
    }
    if (size == strlen(file) && strncmp(name, file, size) == 0) {
        return true;
    }
    const char* extension = hed_path_extension(file);
    size_t own = series_size(file, strlen(file), extension);
    return own > 0 && own == series_size(name, size, extension) && strncmp(name, file, own) == 0;
}

void hed_part_sweep(const char* path) {
    struct stat info;
    char root[PATH_MAX] = ".";
    const char* slash = strrchr(path, '/');
    const char* file = slash ? slash + 1 : path;
    size_t size = (size_t)(file - path);
    if (size >= sizeof root) {
        return;
    }
    if (slash) {
        memcpy(root, path, size);
        root[size] = '\0';
    }
    DIR* listing = opendir(root);
    const struct dirent* entry = NULL;
    while (listing && (entry = readdir(listing)) != NULL) {
        const char* name = entry->d_name;
        if (is_left(name, file) && fstatat(dirfd(listing), name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(info.st_mode)) {
            unlinkat(dirfd(listing), name, 0);
        }
    }
    if (listing) {
        closedir(listing);
    }
}
