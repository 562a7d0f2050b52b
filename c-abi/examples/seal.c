/*
 * Seals a message under a random key, opens it again, and shows that a modified message is rejected.
 *
 *   cc seal.c $(pkg-config --cflags --libs kasoku) -o seal && ./seal
 *   x86_64-w64-mingw32-gcc -I include seal.c kasoku.dll -lbcrypt -o seal.exe        (for Windows)
 */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>

#include <bcrypt.h>
#endif

#include <kasoku.h>

/* Fills `bytes` with random bytes from the operating system. Returns 0 on failure. */
static int random_bytes(uint8_t *bytes, size_t len)
{
#ifdef _WIN32
    return BCryptGenRandom(NULL, bytes, (ULONG)len, BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
#else
    FILE *source = fopen("/dev/urandom", "rb");
    size_t got = 0;

    if (source != NULL) {
        got = fread(bytes, 1, len, source);
        fclose(source);
    }
    return got == len;
#endif
}

static int fail(const char *what, int code)
{
    fprintf(stderr, "%s: %s\n", what, kasoku_strerror(code));
    return 1;
}

int main(void)
{
    const char *header = "to: everybody"; /* the AAD: authenticated but not encrypted */
    const char *message = "The quick brown fox jumps over the lazy dog.";
    size_t len = strlen(message);
    uint8_t key[32], nonce[12], tag[16];
    uint8_t sealed[64], opened[64];
    kasoku_gcm *gcm;
    int code;
    size_t i;

    /* Random nonces are safe for 2^32 messages under one key; a counter is safe until it wraps. */
    if (!random_bytes(key, sizeof key) || !random_bytes(nonce, sizeof nonce)) {
        fprintf(stderr, "no random bytes\n");
        return 1;
    }
    code = kasoku_gcm_create(key, sizeof key, NULL, &gcm);
    memset(key, 0, sizeof key); /* the library keeps its own copy and wipes it later */
    if (code != KASOKU_OK)
        return fail("making the key", code);
    printf("Kasoku %s, backend %s\n", kasoku_version(), kasoku_gcm_backend(gcm));

    code = kasoku_gcm_seal(gcm, nonce, sizeof nonce, (const uint8_t *)header, strlen(header),
                           (const uint8_t *)message, len, sealed, tag);
    if (code != KASOKU_OK)
        return fail("sealing", code);
    printf("sealed %lu bytes\n", (unsigned long)len);

    code = kasoku_gcm_open(gcm, nonce, sizeof nonce, (const uint8_t *)header, strlen(header),
                           sealed, len, tag, opened);
    if (code != KASOKU_OK)
        return fail("opening", code);
    printf("opened: %.*s\n", (int)len, (const char *)opened);

    sealed[7] ^= 1; /* an attacker flips one bit */
    code = kasoku_gcm_open(gcm, nonce, sizeof nonce, (const uint8_t *)header, strlen(header),
                           sealed, len, tag, opened);
    if (code != KASOKU_ERR_AUTHENTICATION)
        return fail("opening a modified message", code);
    for (i = 0; i < len; i++)
        if (opened[i] != 0)
            return fail("a byte of a modified message was released", code);
    printf("modified: %s\n", kasoku_strerror(code));

    kasoku_gcm_free(gcm);
    return 0;
}
