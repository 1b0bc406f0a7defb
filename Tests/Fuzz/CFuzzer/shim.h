// The entrance of libFuzzer, which comes with the compiler and without a header: see "Using libFuzzer as a library" in
// https://llvm.org/docs/LibFuzzer.html. And a call of Linux that Swift does not import.
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*oneInput)(const uint8_t *bytes, size_t count));

static inline int fuzz_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 0u); }
