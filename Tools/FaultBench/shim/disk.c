// Which files count, and what was done to them since their last flush.
#define _GNU_SOURCE
#include "disk.h"

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char folder[PATH_MAX], aside[PATH_MAX];
dev_t folder_device;
bool is_on;
uint64_t coin_state;
struct file *files;
size_t file_count;
struct naming *namings;
size_t naming_count;
static size_t file_room, naming_room;
static unsigned aside_count;

// ---- The coin, and memory that is always there

uint64_t toss(void) {
    uint64_t x = coin_state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

bool chance(unsigned percent) { return toss() % 100 < percent; }

__attribute__((noreturn)) void give_up(const char *why) {
    dprintf(2, "faults: %s: %s\n", why, strerror(errno));
    _exit(70);
}

static void *grown(void *array, size_t *room, size_t count, size_t size) {
    if (count < *room) return array;
    *room = *room ? *room * 2 : 64;
    array = realloc(array, *room * size);
    if (!array) give_up("memory");
    return array;
}

void *copied(const void *bytes, size_t count) {
    void *copy = malloc(count + 1);
    if (!copy) give_up("memory");
    memcpy(copy, bytes, count);
    ((char *)copy)[count] = 0;
    return copy;
}

// ---- Which files count

bool counts(int directory, const char *path, char buffer[PATH_MAX]) {
    if (!is_on || !path) return false;
    if (path[0] == '/') {
        if (snprintf(buffer, PATH_MAX, "%s", path) >= PATH_MAX) return false;
    } else {
        char link[64], base[PATH_MAX];
        ssize_t length;
        if (directory == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
        else snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        length = readlink(link, base, sizeof base - 1);
        if (length < 0) return false;
        base[length] = 0;
        if (snprintf(buffer, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return false;
    }
    size_t length = strlen(folder);
    if (strncmp(buffer, folder, length) != 0 || (buffer[length] != '/' && buffer[length] != 0)) return false;
    return !strstr(buffer + length, "-lock");
}

struct file *file_of(int descriptor) {
    struct stat status;
    if (!is_on || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_dev != folder_device)
        return NULL;
    for (size_t i = 0; i < file_count; i++)
        if (files[i].inode == status.st_ino && files[i].device == status.st_dev)
            return files[i].descriptor < 0 ? NULL : &files[i];
    char link[64], path[PATH_MAX], whole[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return NULL;
    path[length] = 0;
    files = grown(files, &file_room, file_count, sizeof *files);
    struct file *file = &files[file_count++];
    *file = (struct file){.device = status.st_dev, .inode = status.st_ino, .descriptor = -1};
    if (!counts(AT_FDCWD, path, whole)) return NULL;
    // Open for reading too, whatever the program asked for: what stands there has to be read before it goes.
    file->descriptor = next_openat(AT_FDCWD, link, O_RDWR | O_CLOEXEC);
    if (file->descriptor < 0) give_up(path);
    file->name = copied(path, strlen(path));
    return file;
}

// ---- What was done since the last flush

static struct change *add_change(struct file *file) {
    file->changes = grown(file->changes, &file->room, file->count, sizeof *file->changes);
    struct change *change = &file->changes[file->count++];
    *change = (struct change){0};
    return change;
}

off_t length_of(struct file *file) {
    struct stat status;
    return fstat(file->descriptor, &status) == 0 ? status.st_size : 0;
}

struct change *before_writing(struct file *file, off_t offset, size_t count) {
    struct change *change = add_change(file);
    change->offset = offset;
    change->before = length_of(file);
    change->count = count;
    if (offset < change->before) {
        size_t there = (size_t)(change->before - offset);
        change->old_count = there < count ? there : count;
        change->old = malloc(change->old_count);
        if (!change->old) give_up("memory");
        if (next_pread(file->descriptor, change->old, change->old_count, offset) != (ssize_t)change->old_count)
            give_up("reading what stood there");
    }
    return change;
}

void after_writing(struct file *file, ssize_t written, bool is_safe) {
    struct change *change = &file->changes[file->count - 1];
    if (written <= 0) {
        free(change->old);
        file->count--;
        return;
    }
    change->count = (size_t)written;
    if (change->old_count > change->count) change->old_count = change->count;
    change->after = length_of(file);
    change->is_safe = is_safe;
    change->new = malloc(change->count);
    if (!change->new) give_up("memory");
    if (next_pread(file->descriptor, change->new, change->count, change->offset) != written)
        give_up("reading what was written");
}

void before_length(struct file *file, off_t length) {
    off_t before = length_of(file);
    size_t gone = length < before ? (size_t)(before - length) : 0;
    before_writing(file, length, gone)->is_length = true;
    file->changes[file->count - 1].after = length;
}

void forget_last(struct file *file) { free(file->changes[--file->count].old); }

void flushed(struct file *file) {
    bool any = false;
    for (size_t i = 0; i < file->count; i++) any |= file->changes[i].is_forgotten;
    for (size_t i = 0; i < file->count; i++) {
        if (any) {
            file->changes[i].is_safe |= !file->changes[i].is_forgotten;
        } else {
            free(file->changes[i].old);
            free(file->changes[i].new);
        }
    }
    if (!any) file->count = 0;
}

static void parent_of(const char *path, char parent[PATH_MAX]) {
    snprintf(parent, PATH_MAX, "%s", path);
    char *slash = strrchr(parent, '/');
    if (slash && slash != parent) *slash = 0;
}

void add_naming(int what, const char *path, const char *from, unsigned number) {
    char parent[PATH_MAX];
    parent_of(path, parent);
    namings = grown(namings, &naming_room, naming_count, sizeof *namings);
    struct naming *naming = &namings[naming_count++];
    *naming = (struct naming){.aside = number};
    naming->what = what;
    naming->folder = copied(parent, strlen(parent));
    naming->path = copied(path, strlen(path));
    if (from) naming->from = copied(from, strlen(from));
}

unsigned new_aside(void) { return ++aside_count; }

void aside_path(unsigned number, char path[PATH_MAX]) {
    if (snprintf(path, PATH_MAX, "%s/%u", aside, number) >= PATH_MAX) give_up("a path is too long");
}

unsigned keep_aside(const char *path) {
    char name[PATH_MAX];
    aside_path(aside_count + 1, name);
    return next_linkat(AT_FDCWD, path, AT_FDCWD, name, 0) == 0 ? ++aside_count : 0;
}

void drop_aside(unsigned number) {
    char name[PATH_MAX];
    if (!number) return;
    aside_path(number, name);
    next_unlinkat(AT_FDCWD, name, 0);
}

void flushed_folder(const char *path) {
    for (size_t i = 0; i < naming_count; i++) {
        struct naming *naming = &namings[i];
        size_t length = strlen(naming->path);
        bool leads = naming->what == MADE_FOLDER && strncmp(naming->path, path, length) == 0
                     && (path[length] == 0 || path[length] == '/');
        if (!naming->is_done && (leads || strcmp(naming->folder, path) == 0)) {
            naming->is_done = true;
            drop_aside(naming->aside);
        }
    }
}
#endif
