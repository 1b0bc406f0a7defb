// What takes the place of the C library's calls.
#define _GNU_SOURCE
#include "disk.h"
#include "include/faults.h"

int groundwave_faults_loaded(void) { return 1; }

#ifdef __linux__
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)
int (*next_openat)(int, const char *, int, ...);
ssize_t (*next_read)(int, void *, size_t), (*next_pread)(int, void *, size_t, off_t);
ssize_t (*next_write)(int, const void *, size_t), (*next_pwrite)(int, const void *, size_t, off_t);
ssize_t (*next_writev)(int, const struct iovec *, int), (*next_pwritev)(int, const struct iovec *, int, off_t);
int (*next_ftruncate)(int, off_t);
int (*next_fsync)(int), (*next_fdatasync)(int);
int (*next_renameat2)(int, const char *, int, const char *, unsigned);
int (*next_linkat)(int, const char *, int, const char *, int);
FILE *(*next_fopen)(const char *, const char *);
long (*next_syscall)(long, ...);
int (*next_unlinkat)(int, const char *, int), (*next_mkdirat)(int, const char *, mode_t);
#pragma GCC visibility pop

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static const char *boot_path;

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
