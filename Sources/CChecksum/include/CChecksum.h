#ifndef GROUNDWAVE_CCHECKSUM_H
#define GROUNDWAVE_CCHECKSUM_H
#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4) of `count` bytes, continued from `crc` (0 for a new one). Uses the
/// processor's instruction if there is one.
uint32_t groundwave_crc32c(uint32_t crc, const void *bytes, size_t count);

/// The same checksum from sliced tables, on every processor: the reference that the instruction is tested against.
uint32_t groundwave_crc32c_portable(uint32_t crc, const void *bytes, size_t count);
#endif
