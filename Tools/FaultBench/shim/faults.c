// Stands between a program and the C library (LD_PRELOAD), and plays a disk that loses power or fails.
//
// What counts are files below one folder; locks of LMDB are no data and are passed over. A *step* is a write, a change of
// a length, a change of a name, or a flush. What was written since the last flush of its file is remembered with what
// stood there before. At the step that GROUNDWAVE_FAULTS_CUT names the power goes: each such write is kept, dropped, or
// torn between sectors of 512 bytes, as a seeded coin says; lengths follow; names that were changed since the last flush
// of their folder go back, the latest first; then the process kills itself. A write through a descriptor with O_DSYNC or
// O_SYNC is a write and its own flush: LMDB writes its meta page so, and that is its moment of commit. Real flushes are
// not made, so the folder may lie in memory.
//
// | GROUNDWAVE_FAULTS_… | |
// |---|---|
// | FOLDER | the folder that counts; nothing happens without it |
// | ASIDE | an empty folder on the same file system, for files whose name was taken from them |
// | BOOT | a file that is read in the place of the kernel's name of this start of the machine |
// | SEED | of the coin |
// | CUT | the step of the cut; "end": when the process ends, which a cut that is never reached does too; none: no cut |
// | REPORT | a file that gets one line for the cut |
// | STEPS | a file that gets a line for each step, when the process ends |
// | FAIL | what fails: read, write, flush, length, name or open |
// | AT, COUNT | the number of the first such call that fails, from 1, and how many fail |
// | ERROR | the errno, or 0 for a write that is cut short |
// | FORGET | 1: a flush that fails forgets some of what it was to write, as Linux does, though reads still show it |
// | AFTER | with FAIL: cut so many steps after the first failure |

#define _GNU_SOURCE
#include "include/faults.h"

int groundwave_faults_loaded(void) { return 1; }

#ifdef __linux__
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SECTOR = 512 };
enum kind { READ, WRITE, FLUSH, LENGTH, NAME, OPEN, KINDS };
static const char *const kind_names[KINDS] = {"read", "write", "flush", "length", "name", "open"};

/// A write, or a change of the length, that no flush has made safe.
struct change {
    bool is_length;
    /// Written through a descriptor that flushes: always kept, but remembered for its place among the others.
    bool is_safe;
    /// A flush failed and the kernel thinks that this is clean: no later flush makes it safe.
    bool is_forgotten;
    off_t offset;
    size_t count;
    /// The length before and after.
    off_t before, after;
    /// What stood there, as far as the file went, and what was written.
    unsigned char *old, *new;
    size_t old_count;
};

struct file {
    dev_t device;
    ino_t inode;
    /// Ours, open for both; -1 for a file that does not count.
    int descriptor;
    char *name;
    struct change *changes;
    size_t count, room;
};

/// A change of a name that no flush of its folder has made safe.
struct naming {
    enum { CREATED, MADE_FOLDER, REMOVED_FOLDER, RENAMED, REMOVED, LINKED } what;
    bool is_done;
    char *folder, *path, *from;
    /// The number of the file that lost its name, in the folder aside; 0 for none.
    unsigned aside;
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX], aside[PATH_MAX];
static dev_t folder_device;
static const char *report_path, *steps_path, *boot_path;
static bool is_on, cuts, forgets;
static uint64_t coin_state, steps, cut_at, after;
static enum kind fail_kind = KINDS;
static uint64_t fail_at, fail_count, calls[KINDS];
static int fail_error;
static struct file *files;
static size_t file_count, file_room;
static struct naming *namings;
static size_t naming_count, naming_room;
static unsigned aside_count;
static char *trace;
static size_t trace_count, trace_room;

static int (*next_openat)(int, const char *, int, ...);
static ssize_t (*next_read)(int, void *, size_t), (*next_pread)(int, void *, size_t, off_t);
static ssize_t (*next_write)(int, const void *, size_t), (*next_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*next_writev)(int, const struct iovec *, int), (*next_pwritev)(int, const struct iovec *, int, off_t);
static int (*next_ftruncate)(int, off_t);
static int (*next_fsync)(int), (*next_fdatasync)(int);
static int (*next_renameat2)(int, const char *, int, const char *, unsigned);
static int (*next_linkat)(int, const char *, int, const char *, int);
static FILE *(*next_fopen)(const char *, const char *);
static long (*next_syscall)(long, ...);
static int (*next_unlinkat)(int, const char *, int), (*next_mkdirat)(int, const char *, mode_t);

// ---- The coin, and memory that is always there

static uint64_t toss(void) {
    uint64_t x = coin_state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static bool chance(unsigned percent) { return toss() % 100 < percent; }

__attribute__((noreturn)) static void give_up(const char *why) {
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

static void *copied(const void *bytes, size_t count) {
    void *copy = malloc(count + 1);
    if (!copy) give_up("memory");
    memcpy(copy, bytes, count);
    ((char *)copy)[count] = 0;
    return copy;
}

// ---- Which files count

/// The whole path of `path`, into `buffer`; false where it is not below the folder.
static bool counts(int directory, const char *path, char buffer[PATH_MAX]) {
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

/// What is known of the file behind `descriptor`; NULL where it does not count.
static struct file *file_of(int descriptor) {
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

static off_t length_of(struct file *file) {
    struct stat status;
    return fstat(file->descriptor, &status) == 0 ? status.st_size : 0;
}

/// Remembers what stands in the next `count` bytes at `offset`, before they are written.
static struct change *before_writing(struct file *file, off_t offset, size_t count) {
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

/// Remembers what was written; `written` bytes of what was announced.
static void after_writing(struct file *file, ssize_t written, bool is_safe) {
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

static void before_length(struct file *file, off_t length) {
    off_t before = length_of(file);
    size_t gone = length < before ? (size_t)(before - length) : 0;
    before_writing(file, length, gone)->is_length = true;
    file->changes[file->count - 1].after = length;
}

static void forget_last(struct file *file) { free(file->changes[--file->count].old); }

/// A flush has made everything safe that an earlier failed one did not forget.
static void flushed(struct file *file) {
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

static void add_naming(int what, const char *path, const char *from, unsigned number) {
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

static void aside_path(unsigned number, char path[PATH_MAX]) {
    if (snprintf(path, PATH_MAX, "%s/%u", aside, number) >= PATH_MAX) give_up("a path is too long");
}

/// Gives the file at `path` a second name aside, so that it can come back; 0 where there is none.
static unsigned keep_aside(const char *path) {
    char name[PATH_MAX];
    aside_path(aside_count + 1, name);
    return next_linkat(AT_FDCWD, path, AT_FDCWD, name, 0) == 0 ? ++aside_count : 0;
}

static void drop_aside(unsigned number) {
    char name[PATH_MAX];
    if (!number) return;
    aside_path(number, name);
    next_unlinkat(AT_FDCWD, name, 0);
}

/// A flush of the folder `path` has made the names in it safe, and those of the folders that lead to it.
static void flushed_folder(const char *path) {
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

// ---- The cut

struct tally {
    unsigned kept, dropped, torn, names;
};

static void put(struct file *file, const unsigned char *bytes, size_t count, off_t offset) {
    if (count && next_pwrite(file->descriptor, bytes, count, offset) != (ssize_t)count) give_up("writing back");
}

static void lose_data(struct file *file, struct tally *tally) {
    if (file->count == 0) return;
    off_t longest = length_of(file);
    for (size_t i = file->count; i-- > 0;) {
        struct change *change = &file->changes[i];
        // First the length, since bytes that a shortening took come back behind it.
        if (next_ftruncate(file->descriptor, change->before) != 0) give_up("writing back a length");
        put(file, change->old, change->old_count, change->offset);
    }
    bool loses_all = chance(10);
    for (size_t i = 0; i < file->count; i++) {
        struct change *change = &file->changes[i];
        unsigned side = change->is_safe ? 0 : change->is_forgotten || loses_all ? 99 : (unsigned)(toss() % 100);
        if (side < 40) {
            if (!change->is_safe) tally->kept++;
            if (!change->is_length) put(file, change->new, change->count, change->offset);
            else if (next_ftruncate(file->descriptor, change->after) != 0) give_up("a length");
        } else if (side < 65 && !change->is_length && change->count > 1) {
            tally->torn++;
            for (size_t at = 0; at < change->count;) {
                size_t part = SECTOR - (size_t)((change->offset + (off_t)at) % SECTOR);
                if (part > change->count - at) part = change->count - at;
                if (chance(50)) put(file, change->new + at, part, change->offset + (off_t)at);
                at += part;
            }
        } else {
            tally->dropped++;
        }
    }
    // A file system may know the length before it has the bytes: then zeros stand there.
    if (chance(25) && length_of(file) < longest && next_ftruncate(file->descriptor, longest) != 0)
        give_up("a length");
}

static void remove_folder(const char *path) {
    if (next_unlinkat(AT_FDCWD, path, AT_REMOVEDIR) == 0) return;
    // What is in it was made in it and never flushed as a name; then it is gone too.
    char gone[PATH_MAX];
    aside_path(++aside_count, gone);
    next_renameat2(AT_FDCWD, path, AT_FDCWD, gone, 0);
}

static void take_back(struct naming *naming) {
    char name[PATH_MAX];
    switch (naming->what) {
    case CREATED:
    case LINKED: next_unlinkat(AT_FDCWD, naming->path, 0); break;
    case MADE_FOLDER: remove_folder(naming->path); break;
    case REMOVED_FOLDER: next_mkdirat(AT_FDCWD, naming->path, 0700); break;
    case RENAMED: next_renameat2(AT_FDCWD, naming->path, AT_FDCWD, naming->from, 0); break;
    case REMOVED: break;
    }
    if (!naming->aside) return;
    aside_path(naming->aside, name);
    next_linkat(AT_FDCWD, name, AT_FDCWD, naming->path, 0);
}

/// In each folder a run of the oldest changes stays, and what came after them goes back.
static void lose_names(struct tally *tally) {
    uint64_t fate = toss();
    for (size_t i = naming_count; i-- > 0;) {
        struct naming *naming = &namings[i];
        if (naming->is_done) continue;
        size_t pending = 0, rank = 0;
        uint64_t hash = fate;
        for (size_t j = 0; j < naming_count; j++) {
            if (namings[j].is_done || strcmp(namings[j].folder, naming->folder) != 0) continue;
            if (j < i) rank++;
            pending++;
        }
        for (const char *c = naming->folder; *c; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001B3u;
        hash ^= hash >> 31;
        // Half of the folders keep all, a quarter nothing, the others some.
        size_t kept = hash % 4 < 2 ? pending : hash % 4 == 2 ? 0 : (size_t)(hash / 4 % (pending + 1));
        if (rank < kept) continue;
        tally->names++;
        take_back(naming);
    }
}

__attribute__((noreturn)) static void cut(const char *kind, const char *name) {
    struct tally tally = {0};
    for (size_t i = 0; i < file_count; i++)
        if (files[i].descriptor >= 0) lose_data(&files[i], &tally);
    lose_names(&tally);
    if (report_path) {
        char line[PATH_MAX + 200];
        const char *tail = name ? strrchr(name, '/') : NULL;
        int length = snprintf(line, sizeof line, "cut %llu %s %s kept %u dropped %u torn %u names %u\n",
                              (unsigned long long)steps, kind, tail ? tail + 1 : "-", tally.kept, tally.dropped,
                              tally.torn, tally.names);
        int report = next_openat(AT_FDCWD, report_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (report < 0 || next_write(report, line, (size_t)length) != length) give_up("the report");
    }
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/// Counts a step, in the turn; the cut may be here.
static void step(enum kind kind, const char *name) {
    steps++;
    if (steps_path) {
        const char *tail = strrchr(name, '/');
        char line[PATH_MAX + 32];
        int length = snprintf(line, sizeof line, "%s %s\n", kind_names[kind], tail ? tail + 1 : name);
        while (trace_count + (size_t)length >= trace_room) {
            trace_room = trace_room ? trace_room * 2 : 1 << 16;
            trace = realloc(trace, trace_room);
            if (!trace) give_up("memory");
        }
        memcpy(trace + trace_count, line, (size_t)length);
        trace_count += (size_t)length;
    }
    if (cuts && cut_at && steps >= cut_at) cut(kind_names[kind], name);
}

/// Whether this call of a sort has to fail, with the errno set; 0 in `fail_error` means a short write.
static bool fails(enum kind kind) {
    uint64_t number = ++calls[kind];
    if (kind != fail_kind || number < fail_at || number - fail_at >= fail_count) return false;
    if (after && !cut_at) {
        cuts = true;
        cut_at = steps + after;
    }
    errno = fail_error ? fail_error : ENOSPC;
    return true;
}

// ---- What takes the place of the C library's calls

static void begin(void);

/// Other libraries may begin before this one does.
static void ready(void) {
    if (!next_mkdirat) begin();
}

static void lock(void) { pthread_mutex_lock(&turn); }
static void unlock(void) {
    int number = errno;
    pthread_mutex_unlock(&turn);
    errno = number;
}

static bool is_synchronous(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_DSYNC);
}

/// A write to a file that counts; `offset` is -1 where the file's own goes on.
static ssize_t write_counted(struct file *file, int descriptor, const void *bytes, size_t count, off_t offset) {
    bool failing = fails(WRITE);
    if (failing && (fail_error || count < 2)) return -1;
    if (failing) count /= 2;
    off_t place = offset;
    if (place < 0) {
        int flags = fcntl(descriptor, F_GETFL);
        place = flags >= 0 && (flags & O_APPEND) ? length_of(file) : lseek(descriptor, 0, SEEK_CUR);
    }
    before_writing(file, place, count);
    // A synchronous descriptor would really flush: ours does not.
    ssize_t written = next_pwrite(file->descriptor, bytes, count, place);
    if (written > 0 && offset < 0) lseek(descriptor, place + written, SEEK_SET);
    after_writing(file, written, false);
    if (written > 0) {
        step(WRITE, file->name);
        // Its own flush; a cut at this step came before it.
        if (is_synchronous(descriptor)) file->changes[file->count - 1].is_safe = true;
    }
    return written;
}

static ssize_t do_write(int descriptor, const void *bytes, size_t count, off_t offset) {
    ready();
    lock();
    struct file *file = file_of(descriptor);
    ssize_t written = file ? write_counted(file, descriptor, bytes, count, offset) : 0;
    unlock();
    if (file) return written;
    return offset < 0 ? next_write(descriptor, bytes, count) : next_pwrite(descriptor, bytes, count, offset);
}

static ssize_t do_writev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    ready();
    lock();
    struct file *file = file_of(descriptor);
    ssize_t written = 0;
    if (file) {
        size_t total = 0, at = 0;
        for (int i = 0; i < count; i++) total += parts[i].iov_len;
        unsigned char *whole = malloc(total + 1);
        if (!whole) give_up("memory");
        for (int i = 0; i < count; at += parts[i++].iov_len) memcpy(whole + at, parts[i].iov_base, parts[i].iov_len);
        written = write_counted(file, descriptor, whole, total, offset);
        int number = errno;
        free(whole);
        errno = number;
    }
    unlock();
    if (file) return written;
    return offset < 0 ? next_writev(descriptor, parts, count) : next_pwritev(descriptor, parts, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) { return do_write(descriptor, bytes, count, -1); }
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return do_write(descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return do_write(descriptor, bytes, count, offset);
}
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    return do_writev(descriptor, parts, count, -1);
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return do_writev(descriptor, parts, count, offset);
}
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    return do_writev(descriptor, parts, count, offset);
}

static bool read_fails(int descriptor) {
    ready();
    if (!is_on || (fail_kind != READ && !steps_path)) return false;
    lock();
    bool failing = file_of(descriptor) && fails(READ);
    unlock();
    return failing;
}
ssize_t read(int descriptor, void *bytes, size_t count) {
    return read_fails(descriptor) ? -1 : next_read(descriptor, bytes, count);
}
ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    return read_fails(descriptor) ? -1 : next_pread(descriptor, bytes, count, offset);
}
ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
    return pread(descriptor, bytes, count, offset);
}

int ftruncate(int descriptor, off_t length) {
    ready();
    lock();
    struct file *file = file_of(descriptor);
    int result = 0;
    if (!file) {
        unlock();
        return next_ftruncate(descriptor, length);
    }
    if (fails(LENGTH)) {
        result = -1;
    } else {
        before_length(file, length);
        result = next_ftruncate(file->descriptor, length);
        if (result == 0) step(LENGTH, file->name);
        else forget_last(file);
    }
    unlock();
    return result;
}
int ftruncate64(int descriptor, off64_t length) { return ftruncate(descriptor, length); }

/// A flush of what `descriptor` stands for; -2 where that does not count.
static int flush(int descriptor) {
    struct stat status;
    struct file *file = file_of(descriptor);
    char link[64], path[PATH_MAX], whole[PATH_MAX];
    bool is_folder = false;
    if (!file) {
        if (!is_on || fstat(descriptor, &status) != 0 || !S_ISDIR(status.st_mode)) return -2;
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length < 0) return -2;
        path[length] = 0;
        is_folder = counts(AT_FDCWD, path, whole);
        if (!is_folder) return -2;
    }
    if (fails(FLUSH)) {
        if (file && forgets)
            for (size_t i = 0; i < file->count; i++)
                if (!file->changes[i].is_safe && chance(50)) file->changes[i].is_forgotten = true;
        return -1;
    }
    // Before it has done anything, so a cut here loses what it was to save.
    step(FLUSH, is_folder ? whole : file->name);
    if (is_folder) flushed_folder(whole);
    else flushed(file);
    return 0;
}

int fsync(int descriptor) {
    ready();
    lock();
    int result = flush(descriptor);
    unlock();
    return result == -2 ? next_fsync(descriptor) : result;
}
int fdatasync(int descriptor) {
    ready();
    lock();
    int result = flush(descriptor);
    unlock();
    return result == -2 ? next_fdatasync(descriptor) : result;
}

static int do_open(int directory, const char *path, int flags, mode_t mode) {
    ready();
    char whole[PATH_MAX];
    if (!counts(directory, path, whole) || (flags & (O_PATH | O_DIRECTORY)) || (flags & O_TMPFILE) == O_TMPFILE)
        return next_openat(directory, path, flags, mode);
    lock();
    struct stat status;
    bool is_new = (flags & O_CREAT) && fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) != 0;
    int descriptor = -1;
    if (!fails(OPEN)) {
        // An old file is cut short by us, so that what stood in it is remembered. Real flushes are not made.
        descriptor = next_openat(directory, path, is_new ? flags : flags & ~O_TRUNC, mode);
        if (descriptor >= 0 && is_new) {
            add_naming(CREATED, whole, NULL, 0);
            step(NAME, whole);
        } else if (descriptor >= 0 && (flags & O_TRUNC)) {
            struct file *file = file_of(descriptor);
            if (file && length_of(file) > 0) {
                before_length(file, 0);
                if (next_ftruncate(file->descriptor, 0) != 0) give_up("cutting short");
                step(LENGTH, file->name);
            }
        }
    }
    unlock();
    return descriptor;
}

#define MODE_OF(flags)                                                                                                 \
    mode_t mode = 0;                                                                                                   \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                             \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode = (mode_t)va_arg(rest, unsigned);                                                                         \
        va_end(rest);                                                                                                  \
    }
int open(const char *path, int flags, ...) {
    MODE_OF(flags)
    return do_open(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE_OF(flags)
    return do_open(AT_FDCWD, path, flags, mode);
}
int openat(int directory, const char *path, int flags, ...) {
    MODE_OF(flags)
    return do_open(directory, path, flags, mode);
}
int openat64(int directory, const char *path, int flags, ...) {
    MODE_OF(flags)
    return do_open(directory, path, flags, mode);
}
int creat(const char *path, mode_t mode) { return do_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

/// What is said of the file from here on is said by its new name.
static void renamed(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return;
    for (size_t i = 0; i < file_count; i++) {
        if (files[i].descriptor < 0 || files[i].inode != status.st_ino || files[i].device != status.st_dev) continue;
        free(files[i].name);
        files[i].name = copied(path, strlen(path));
    }
}

int renameat2(int from_folder, const char *from, int folder_to, const char *to, unsigned flags) {
    ready();
    char whole_from[PATH_MAX], whole[PATH_MAX];
    if (!counts(from_folder, from, whole_from) || !counts(folder_to, to, whole))
        return next_renameat2(from_folder, from, folder_to, to, flags);
    lock();
    int result = -1;
    if (!fails(NAME)) {
        unsigned number = flags & RENAME_NOREPLACE ? 0 : keep_aside(whole);
        result = next_renameat2(from_folder, from, folder_to, to, flags);
        if (result == 0) {
            add_naming(RENAMED, whole, whole_from, number);
            renamed(whole);
            step(NAME, whole);
        } else {
            int error = errno;
            drop_aside(number);
            errno = error;
        }
    }
    unlock();
    return result;
}
int renameat(int from_folder, const char *from, int folder_to, const char *to) {
    return renameat2(from_folder, from, folder_to, to, 0);
}
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

/// The module of LMDB renames without overwriting by the number of the call.
long syscall(long number, ...) {
    va_list rest;
    va_start(rest, number);
    long part[6];
    for (int i = 0; i < 6; i++) part[i] = va_arg(rest, long);
    va_end(rest);
    ready();
    if (number == SYS_renameat2)
        return renameat2((int)part[0], (const char *)part[1], (int)part[2], (const char *)part[3], (unsigned)part[4]);
    return next_syscall(number, part[0], part[1], part[2], part[3], part[4], part[5]);
}

int linkat(int from_folder, const char *from, int folder_to, const char *to, int flags) {
    ready();
    char whole[PATH_MAX];
    if (!counts(folder_to, to, whole)) return next_linkat(from_folder, from, folder_to, to, flags);
    lock();
    int result = fails(NAME) ? -1 : next_linkat(from_folder, from, folder_to, to, flags);
    if (result == 0) {
        add_naming(LINKED, whole, NULL, 0);
        step(NAME, whole);
    }
    unlock();
    return result;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int directory, const char *path, int flags) {
    ready();
    char whole[PATH_MAX];
    if (!counts(directory, path, whole)) return next_unlinkat(directory, path, flags);
    lock();
    int result = -1;
    if (!fails(NAME)) {
        unsigned number = flags & AT_REMOVEDIR ? 0 : keep_aside(whole);
        result = next_unlinkat(directory, path, flags);
        if (result == 0) {
            add_naming(flags & AT_REMOVEDIR ? REMOVED_FOLDER : REMOVED, whole, NULL, number);
            step(NAME, whole);
        } else {
            int error = errno;
            drop_aside(number);
            errno = error;
        }
    }
    unlock();
    return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
    int result = unlink(path);
    return result != 0 && (errno == EISDIR || errno == EPERM) ? rmdir(path) : result;
}

int mkdirat(int directory, const char *path, mode_t mode) {
    ready();
    char whole[PATH_MAX];
    if (!counts(directory, path, whole)) return next_mkdirat(directory, path, mode);
    lock();
    int result = fails(NAME) ? -1 : next_mkdirat(directory, path, mode);
    if (result == 0) {
        add_naming(MADE_FOLDER, whole, NULL, 0);
        step(NAME, whole);
    }
    unlock();
    return result;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

// A machine that lost power was started anew since.
FILE *fopen(const char *path, const char *mode) {
    ready();
    if (boot_path && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) path = boot_path;
    return next_fopen(path, mode);
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

// ---- Beginning and end

static const char *setting(const char *name) {
    char whole[64];
    snprintf(whole, sizeof whole, "GROUNDWAVE_FAULTS_%s", name);
    const char *value = getenv(whole);
    return value && *value ? value : NULL;
}

static uint64_t number(const char *name) {
    const char *value = setting(name);
    return value ? strtoull(value, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void) {
    if (next_mkdirat) return;
    next_openat = dlsym(RTLD_NEXT, "openat");
    next_read = dlsym(RTLD_NEXT, "read");
    next_pread = dlsym(RTLD_NEXT, "pread");
    next_write = dlsym(RTLD_NEXT, "write");
    next_pwrite = dlsym(RTLD_NEXT, "pwrite");
    next_writev = dlsym(RTLD_NEXT, "writev");
    next_pwritev = dlsym(RTLD_NEXT, "pwritev");
    next_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
    next_fsync = dlsym(RTLD_NEXT, "fsync");
    next_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    next_renameat2 = dlsym(RTLD_NEXT, "renameat2");
    next_linkat = dlsym(RTLD_NEXT, "linkat");
    next_fopen = dlsym(RTLD_NEXT, "fopen");
    next_syscall = dlsym(RTLD_NEXT, "syscall");
    next_unlinkat = dlsym(RTLD_NEXT, "unlinkat");
    next_mkdirat = dlsym(RTLD_NEXT, "mkdirat");
    boot_path = setting("BOOT");
    const char *path = setting("FOLDER"), *other = setting("ASIDE"), *cutting = setting("CUT");
    struct stat status;
    if (!path || !other || !realpath(path, folder) || !realpath(other, aside) || stat(folder, &status) != 0) return;
    folder_device = status.st_dev;
    report_path = setting("REPORT");
    steps_path = setting("STEPS");
    coin_state = number("SEED");
    cuts = cutting != NULL;
    cut_at = cutting && strcmp(cutting, "end") != 0 ? strtoull(cutting, NULL, 10) : 0;
    const char *failing = setting("FAIL");
    for (int kind = 0; failing && kind < KINDS; kind++)
        if (strcmp(failing, kind_names[kind]) == 0) fail_kind = kind;
    fail_at = number("AT");
    fail_count = number("COUNT");
    fail_error = (int)number("ERROR");
    forgets = number("FORGET") == 1;
    after = number("AFTER");
    is_on = true;
}

__attribute__((destructor)) static void end(void) {
    if (!is_on) return;
    lock();
    if (steps_path) {
        int out = next_openat(AT_FDCWD, steps_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (out < 0 || next_write(out, trace, trace_count) != (ssize_t)trace_count) give_up("the steps");
        for (int kind = 0; kind < KINDS; kind++)
            dprintf(out, "calls %s %llu\n", kind_names[kind], (unsigned long long)calls[kind]);
    }
    if (cuts) cut("end", NULL);
    is_on = false;
    unlock();
}
#endif
