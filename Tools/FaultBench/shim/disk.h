// The disk that is played: what is shared by the files of the shim. See faults.h.
#pragma once

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

// A name of the shim must not take the place of one of the program.
#pragma GCC visibility push(hidden)

enum kind { READ, WRITE, FLUSH, LENGTH, NAME, OPEN, KINDS };
extern const char *const kind_names[KINDS];

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

/// A file that was met.
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

/// What was asked for: see the table in faults.h. `is_on` is false where no folder counts.
extern char folder[PATH_MAX], aside[PATH_MAX];
extern dev_t folder_device;
extern const char *report_path, *steps_path;
extern bool is_on, cuts, forgets;
extern uint64_t coin_state, cut_at, after, fail_at, fail_count;
extern enum kind fail_kind;
extern int fail_error;

/// What has been so far: calls of each sort, and a line for each step.
extern uint64_t calls[KINDS];
extern char *trace;
extern size_t trace_count;
/// The files that were met, and the changes of names, in order.
extern struct file *files;
extern size_t file_count;
extern struct naming *namings;
extern size_t naming_count;

/// The C library's own.
extern int (*next_openat)(int, const char *, int, ...);
extern ssize_t (*next_read)(int, void *, size_t), (*next_pread)(int, void *, size_t, off_t);
extern ssize_t (*next_write)(int, const void *, size_t), (*next_pwrite)(int, const void *, size_t, off_t);
extern ssize_t (*next_writev)(int, const struct iovec *, int), (*next_pwritev)(int, const struct iovec *, int, off_t);
extern int (*next_ftruncate)(int, off_t);
extern int (*next_fsync)(int), (*next_fdatasync)(int);
extern int (*next_renameat2)(int, const char *, int, const char *, unsigned);
extern int (*next_linkat)(int, const char *, int, const char *, int);
extern FILE *(*next_fopen)(const char *, const char *);
extern long (*next_syscall)(long, ...);
extern int (*next_unlinkat)(int, const char *, int), (*next_mkdirat)(int, const char *, mode_t);

/// The next number of the coin.
uint64_t toss(void);

/// True in so many of a hundred cases.
bool chance(unsigned percent);

/// Ends the process with a word on standard error: what cannot be played must not pass for a result.
__attribute__((noreturn)) void give_up(const char *why);

/// A copy that is never freed by anybody but who asked; a zero stands behind it.
void *copied(const void *bytes, size_t count);

/// The whole path of `path`, into `buffer`; false where it is not below the folder.
bool counts(int directory, const char *path, char buffer[PATH_MAX]);

/// What is known of the file behind `descriptor`; NULL where it does not count.
struct file *file_of(int descriptor);

/// How long it is now.
off_t length_of(struct file *file);

/// Remembers what stands in the next `count` bytes at `offset`, before they are written.
struct change *before_writing(struct file *file, off_t offset, size_t count);

/// Remembers what was written; `written` bytes of what was announced.
void after_writing(struct file *file, ssize_t written, bool is_safe);

/// Remembers what a change of the length takes away.
void before_length(struct file *file, off_t length);

/// What was remembered last did not happen.
void forget_last(struct file *file);

/// A flush has made everything safe that an earlier failed one did not forget.
void flushed(struct file *file);

/// Remembers a change of a name.
void add_naming(int what, const char *path, const char *from, unsigned number);

/// A number that no file in the folder aside has.
unsigned new_aside(void);

/// The path of the file of that number in the folder aside.
void aside_path(unsigned number, char path[PATH_MAX]);

/// Gives the file at `path` a second name aside, so that it can come back; 0 where there is none.
unsigned keep_aside(const char *path);

/// What was kept aside is not wanted any more; nothing for 0.
void drop_aside(unsigned number);

/// A flush of the folder `path` has made the names in it safe, and those of the folders that lead to it.
void flushed_folder(const char *path);

/// Counts a step, in the turn; the cut may be here.
void step(enum kind kind, const char *name);

/// Whether this call of a sort has to fail, with the errno set; 0 in `fail_error` means a short write.
bool fails(enum kind kind);

/// The power goes: loses what no flush made safe, says so, and kills the process.
__attribute__((noreturn)) void cut(const char *kind, const char *name);

#pragma GCC visibility pop
