// liblmdb 0.9.24 or later: Debian's liblmdb-dev, Homebrew's lmdb.
#include <lmdb.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

// Renames without overwriting: 0, or -1 with errno EEXIST if `target` has a name already. The system calls behind it
// are variadic or missing from the C library's headers on some systems, so Swift cannot call them itself.
static inline int groundwave_rename_exclusive(const char *source, const char *target) {
#if defined(__APPLE__)
    return renamex_np(source, target, RENAME_EXCL);
#elif defined(__linux__) && defined(SYS_renameat2)
    const int current_directory = -100;  // AT_FDCWD
    const unsigned int no_replace = 1;   // RENAME_NOREPLACE
    return (int)syscall(SYS_renameat2, current_directory, source, current_directory, target, no_replace);
#else
    errno = ENOSYS;
    return -1;
#endif
}

// `open` is variadic if it creates a file, so Swift can only call it without a mode.
static inline int groundwave_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

// The maximum size in bytes of a file that this process writes (RLIMIT_FSIZE, whose type differs between systems).
static inline int64_t groundwave_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur > INT64_MAX) { return INT64_MAX; }
    return (int64_t)limit.rlim_cur;
}

// Asks the processor for `count` bytes that are read soon. A hint: nothing happens where no memory is.
static inline void groundwave_prefetch(const void *start, size_t count) {
    const size_t line = 64;
    for (size_t offset = 0; offset < count; offset += line) {
        __builtin_prefetch((const void *)((uintptr_t)start + offset));
    }
}

// The operating system's message for `code`: glibc's plain strerror_r has another return type than that of POSIX.
static inline void groundwave_error_text(int code, char *text, size_t capacity) {
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    const char *words = strerror_r(code, text, capacity);
    if (words != text) { strncpy(text, words, capacity - 1); }
#else
    (void)strerror_r(code, text, capacity);
#endif
    text[capacity - 1] = '\0';
}
