#include "CChecksum.h"
#include <string.h>

// Slicing by eight: table[k][b] is the CRC of byte b followed by k zero bytes. Filled once, before main.
static uint32_t table[8][256];

__attribute__((constructor)) static void fill_tables(void) {
    const uint32_t polynomial = 0x82F63B78u;  // Castagnoli, bits reversed.
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (polynomial & (0u - (crc & 1u)));
        table[0][byte] = crc;
    }
    for (int slice = 1; slice < 8; slice++)
        for (uint32_t byte = 0; byte < 256; byte++)
            table[slice][byte] = (table[slice - 1][byte] >> 8) ^ table[0][table[slice - 1][byte] & 0xff];
}

uint32_t groundwave_crc32c_portable(uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    crc = ~crc;
    for (; count >= 8; count -= 8, next += 8) {
        // Byte by byte, so that the result does not depend on the byte order of the host.
        const uint32_t low = crc ^ ((uint32_t)next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16
                                    | (uint32_t)next[3] << 24);
        crc = table[7][low & 0xff] ^ table[6][(low >> 8) & 0xff] ^ table[5][(low >> 16) & 0xff] ^ table[4][low >> 24]
            ^ table[3][next[4]] ^ table[2][next[5]] ^ table[1][next[6]] ^ table[0][next[7]];
    }
    for (; count; count--) crc = (crc >> 8) ^ table[0][(crc ^ *next++) & 0xff];
    return ~crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc32c_instruction(uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    uint64_t wide = ~crc;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        wide = _mm_crc32_u64(wide, word);
    }
    uint32_t narrow = (uint32_t)wide;
    for (; count; count--) narrow = _mm_crc32_u8(narrow, *next++);
    return ~narrow;
}

uint32_t groundwave_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return __builtin_cpu_supports("sse4.2") ? crc32c_instruction(crc, bytes, count)
                                            : groundwave_crc32c_portable(crc, bytes, count);
}
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

uint32_t groundwave_crc32c(uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    crc = ~crc;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        crc = __crc32cd(crc, word);
    }
    for (; count; count--) crc = __crc32cb(crc, *next++);
    return ~crc;
}
#else
uint32_t groundwave_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return groundwave_crc32c_portable(crc, bytes, count);
}
#endif
