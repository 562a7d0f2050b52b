/*
 * Checks that no short message takes longer than a longer one: seals every length from 0 to 200 bytes in place and into
 * another buffer, with AAD of 0, 13, 20 and 32 bytes, and protects packets of every payload length from 4 to 200 bytes.
 *
 *   gcc -O2 bench/short_messages.c -Ic-abi/include target/release/libkasoku.so -o target/short_messages
 *   ln -sf libkasoku.so target/release/libkasoku.so.0
 *   LD_LIBRARY_PATH=target/release target/short_messages [ROUNDS]
 *
 * Each round measures all lengths and kinds of call. The minimum time over all rounds counts. Prints, for each kind,
 * the time at some lengths, and the length with the largest excess over a longer length. Fails if an excess is more
 * than 2 ns.
 */
#include <kasoku.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_BYTES 200
/* Number of calls between two readings of the clock. */
#define CALLS 64
#define HEADER_BYTES 20
/* Minimum payload length with which a packet has a header-protection sample for every packet number length. */
#define MIN_PAYLOAD 4
#define MAX_EXCESS 2.0

static uint8_t input[512] __attribute__((aligned(64))), output[512] __attribute__((aligned(64))), tag[16], aad[32];
static uint8_t packets[CALLS][512] __attribute__((aligned(64)));
static uint8_t nonces[CALLS][16];
static kasoku_gcm *gcm;
static kasoku_quic *quic;
static uint64_t number;

struct kind {
    const char *name;
    size_t aad_bytes;
    enum { INTO, IN_PLACE, PROTECT, PROTECT_FRESH } operation;
    double least[MAX_BYTES + 1];
};

static struct kind kinds[] = {
    {"seal into another buffer, AAD 0", 0, INTO, {0}},
    {"seal into another buffer, AAD 13", 13, INTO, {0}},
    {"seal into another buffer, AAD 20", 20, INTO, {0}},
    {"seal into another buffer, AAD 32", 32, INTO, {0}},
    {"seal in place, AAD 0", 0, IN_PLACE, {0}},
    {"seal in place, AAD 13", 13, IN_PLACE, {0}},
    {"seal in place, AAD 20", 20, IN_PLACE, {0}},
    {"seal in place, AAD 32", 32, IN_PLACE, {0}},
    {"protect, header written before", 20, PROTECT, {0}},
    {"protect, header just written", 20, PROTECT_FRESH, {0}},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void call(const struct kind *kind, size_t bytes, int index) {
    int code = 0;
    uint8_t *packet = packets[index];
    switch (kind->operation) {
    case INTO:
        code = kasoku_gcm_seal(gcm, nonces[index], 12, aad, kind->aad_bytes, input, bytes, output, tag);
        break;
    case IN_PLACE:
        code = kasoku_gcm_seal(gcm, nonces[index], 12, aad, kind->aad_bytes, packet + HEADER_BYTES, bytes,
                               packet + HEADER_BYTES, packet + HEADER_BYTES + bytes);
        break;
    case PROTECT_FRESH:
        packet[0] = 0x41;
        packet[HEADER_BYTES - 2] = (uint8_t)(number >> 8);
        packet[HEADER_BYTES - 1] = (uint8_t)number;
        /* fall through */
    case PROTECT:
        code = kasoku_quic_protect(quic, number++, packet, HEADER_BYTES - 2, 2, HEADER_BYTES + bytes);
        break;
    }
    if (code != 0) {
        fprintf(stderr, "%s, %zu bytes: error %d\n", kind->name, bytes, code);
        exit(2);
    }
}

static double measure(const struct kind *kind, size_t bytes) {
    struct timespec start, end;
    if (kind->operation >= PROTECT)
        for (int index = 0; index < CALLS; index++) packets[index][0] = 0x41; /* two bytes of packet number */
    clock_gettime(CLOCK_MONOTONIC_RAW, &start);
    for (int index = 0; index < CALLS; index++) call(kind, bytes, index);
    clock_gettime(CLOCK_MONOTONIC_RAW, &end);
    return ((end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec)) / CALLS;
}

/* Prints the kind's times, and returns the largest excess of a length over a longer one. */
static double print_kind(const struct kind *kind) {
    size_t first = kind->operation >= PROTECT ? MIN_PAYLOAD : 0, worst = first, longer = first, best = MAX_BYTES;
    double excess = 0;
    for (size_t bytes = MAX_BYTES; bytes > first; bytes--) {
        if (kind->least[bytes] < kind->least[best]) best = bytes;
        double more = kind->least[bytes - 1] - kind->least[best];
        if (more > excess) excess = more, worst = bytes - 1, longer = best;
    }
    printf("%-34s", kind->name);
    for (size_t bytes = first; bytes <= MAX_BYTES; bytes += bytes < 64 ? 12 : 34) printf(" %5.1f", kind->least[bytes]);
    if (excess > 0) printf("   %zu bytes: %.1f ns more than %zu", worst, excess, longer);
    printf("\n");
    return excess;
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 300;
    uint8_t key[16] = {1}, iv[12] = {2}, header_key[16] = {3};
    gcm = kasoku_gcm_new(key, sizeof key);
    for (int index = 0; index < CALLS; index++) nonces[index][0] = (uint8_t)index;
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t bytes = 0; bytes <= MAX_BYTES; bytes++) kinds[kind].least[bytes] = 1e9;
    for (int round = 0; round < rounds; round++) {
        quic = kasoku_quic_new(key, sizeof key, iv, header_key);
        number = 1;
        for (size_t kind = 0; kind < KINDS; kind++)
            for (size_t bytes = kinds[kind].operation >= PROTECT ? MIN_PAYLOAD : 0; bytes <= MAX_BYTES; bytes++) {
                double time = measure(&kinds[kind], bytes);
                if (time < kinds[kind].least[bytes]) kinds[kind].least[bytes] = time;
            }
        kasoku_quic_free(quic);
    }
    double excess = 0;
    for (size_t kind = 0; kind < KINDS; kind++) {
        double more = print_kind(&kinds[kind]);
        if (more > excess) excess = more;
    }
    kasoku_gcm_free(gcm);
    return excess > MAX_EXCESS;
}
