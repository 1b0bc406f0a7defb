// The steps, the calls that fail, and the cut: what is lost of that which no flush has made safe.
#define _GNU_SOURCE
#include "disk.h"

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SECTOR = 512 };

const char *const kind_names[KINDS] = {"read", "write", "flush", "length", "name", "open"};
const char *report_path, *steps_path;
bool cuts, forgets;
uint64_t cut_at, after, fail_at, fail_count, calls[KINDS];
enum kind fail_kind = KINDS;
int fail_error;
char *trace;
size_t trace_count;
static size_t trace_room;
static uint64_t steps;

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
    aside_path(new_aside(), gone);
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

// ---- The other threads of a process whose power goes

static atomic_uint stopped_count;

static void stay(int signal) {
    (void)signal;
    atomic_fetch_add(&stopped_count, 1);
    for (;;) pause();
}

/// Counts the other threads of this process; sends each `stop`, unless that is 0. Takes no memory: a stopped thread may
/// hold the lock of malloc.
static unsigned other_threads(int stop) {
    pid_t self = (pid_t)syscall(SYS_gettid);
    int folder = next_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (folder < 0) give_up("the threads");
    unsigned found = 0;
    char names[4096];
    for (long count; (count = syscall(SYS_getdents64, folder, names, sizeof names)) > 0;) {
        // A record: inode (8), offset (8), its length (2), type (1), name.
        for (long at = 0; at < count;) {
            unsigned short length;
            memcpy(&length, names + at + 16, sizeof length);
            pid_t thread = (pid_t)atoi(names + at + 19);
            if (thread > 0 && thread != self && syscall(SYS_tgkill, getpid(), thread, stop) == 0) found++;
            at += length;
        }
    }
    close(folder);
    return found;
}

/// Stops every other thread: none may read, through a map, what the cut writes back.
static void stop_others(void) {
    // The workers of libdispatch block most signals, and not this one: `_dispatch_sigmask` in its queue.c.
    int stop = SIGSYS;
    struct sigaction action = {.sa_handler = stay};
    sigfillset(&action.sa_mask);
    if (sigaction(stop, &action, NULL) != 0) give_up("the signal of a cut");
    unsigned asked = other_threads(stop);
    for (unsigned tries = 0; atomic_load(&stopped_count) < asked; tries++) {
        // One that has ended meanwhile never answers.
        if (tries % 1000 == 999) asked = other_threads(0);
        if (tries == 20000) give_up("stopping the other threads");
        if (tries < 100) sched_yield();
        else usleep(50);
    }
}

__attribute__((noreturn)) void cut(const char *kind, const char *name) {
    struct tally tally = {0};
    stop_others();
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

void step(enum kind kind, const char *name) {
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

bool fails(enum kind kind) {
    uint64_t number = ++calls[kind];
    if (kind != fail_kind || number < fail_at || number - fail_at >= fail_count) return false;
    if (after && !cut_at) {
        cuts = true;
        cut_at = steps + after;
    }
    errno = fail_error ? fail_error : ENOSPC;
    return true;
}
#endif
