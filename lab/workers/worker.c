/*
 * A worker for `kasoku run --worker`: AES-GCM by the C API of libkasoku. docs/WORKERS.md describes the protocol.
 *
 *   cc -O2 worker.c $(pkg-config --cflags --libs kasoku) -o worker
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <kasoku.h>

/* Returns the value of a field in a request of the laboratory, whose JSON has no spaces; "" if there is none. */
static const char *field(const char *line, const char *name)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *found = strstr(line, quoted);
    return found ? found + strlen(quoted) : "";
}

/* Returns the number in a field, or -1 if there is none. */
static long number(const char *line, const char *name)
{
    const char *digits = field(line, name);
    char *end;
    long value = strtol(digits, &end, 10);
    return end == digits || value < 0 ? -1 : value;
}

static int is(const char *value, const char *expected) { return strncmp(value, expected, strlen(expected)) == 0; }

/* Decodes a field in hexadecimal. Returns its length in bytes, 0 if it is missing, or -1 if it is no hexadecimal. */
static long decode(const char *line, const char *name, uint8_t *bytes)
{
    const char *digits = field(line, name);
    long length = 0;
    for (digits += *digits == '"'; *digits && *digits != '"' && *digits != ','; digits += 2, length++)
        if (sscanf(digits, "%2hhx", bytes + length) != 1)
            return -1;
    return length;
}

static uint64_t now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Answers a request for work. `size` bytes are enough for each decoded field. */
static const char *work(const char *line, size_t size)
{
    int seals = is(field(line, "operation"), "\"seal\"");
    size_t key_len = is(field(line, "algorithm"), "\"aes-128-gcm\"") ? 16 : 32;
    if ((key_len == 32 && !is(field(line, "algorithm"), "\"aes-256-gcm\"")) ||
        (!seals && !is(field(line, "operation"), "\"open\"")) || !is(field(line, "packets"), "null") ||
        !is(field(line, "file"), "null") || number(line, "threads") != 1 || number(line, "keys") != 1 ||
        !is(field(line, "nonces"), "\"ahead\""))
        return "{\"unsupported\":\"it measures AES-128-GCM and AES-256-GCM, in one thread, under one key\"}\n";
    long iterations = number(line, "iterations"), parts = number(line, "parts");
    if (iterations < 0)
        return "{\"error\":\"the number of iterations is missing\"}\n";
    if (iterations == 0)
        return "{}\n";
    uint8_t *key = calloc(7, size), *nonce = key + size, *aad = nonce + size, *in = aad + size, *tag = in + size,
            *out = tag + size, *sealed = out + size;
    if (key == NULL)
        return "{\"error\":\"no memory\"}\n";
    long lengths[] = {decode(line, "key", key), decode(line, "nonce", nonce), decode(line, "aad", aad),
                      decode(line, "text", in), decode(line, "tag", tag)};
    size_t nonce_len = (size_t)lengths[1], aad_len = (size_t)lengths[2], len = (size_t)lengths[3];
    int is_given = lengths[4] == 16, code = lengths[0] == (long)key_len && lengths[3] >= 0 ? KASOKU_OK : -1;
    kasoku_gcm *gcm = code == KASOKU_OK ? kasoku_gcm_new(key, key_len) : NULL;
    if (gcm && !seals && !is_given) { /* the text to open is to be sealed first */
        code = kasoku_gcm_seal(gcm, nonce, nonce_len, aad, aad_len, in, len, sealed, tag);
        memcpy(in, sealed, len);
    }
    parts = parts < 1 ? 1 : parts > iterations ? iterations : parts;
    uint64_t wall = UINT64_MAX, cpu = 0;
    for (long part = 0; part < parts && gcm && code == KASOKU_OK; part++) {
        uint64_t cpu_before = now(CLOCK_THREAD_CPUTIME_ID), start = now(CLOCK_MONOTONIC);
        for (long i = 0; i < iterations / parts && code == KASOKU_OK; i++)
            code = seals ? kasoku_gcm_seal(gcm, nonce, nonce_len, aad, aad_len, in, len, out, tag)
                         : kasoku_gcm_open(gcm, nonce, nonce_len, aad, aad_len, in, len, tag, out);
        uint64_t taken = now(CLOCK_MONOTONIC) - start;
        cpu = taken < wall ? now(CLOCK_THREAD_CPUTIME_ID) - cpu_before : cpu;
        wall = taken < wall ? taken : wall;
    }
    if (gcm && code == KASOKU_OK) {
        printf("{\"nanoseconds\":%llu,\"cpu_nanoseconds\":%llu,\"iterations\":%ld,\"output\":\"",
               (unsigned long long)wall, (unsigned long long)cpu, iterations / parts);
        for (size_t i = 0; i < len && !is_given; i++)
            printf("%02x", seals ? out[i] : in[i]);
        for (size_t i = 0; i < 16 && !is_given; i++)
            printf("%02x", tag[i]);
        for (size_t i = 0; i < len && !seals; i++)
            printf("%02x", out[i]);
    }
    const char *last = gcm && code == KASOKU_OK ? "\"}\n" : "{\"error\":\"the call failed\"}\n";
    kasoku_gcm_free(gcm);
    free(key);
    return last;
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        if (is(field(line, "operation"), "\"describe\""))
            fputs("{\"protocol\":1,\"version\":\"libkasoku by its C API\"}\n", stdout);
        else
            fputs(work(line, size), stdout);
        fflush(stdout);
    }
}
