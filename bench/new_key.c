/*
 * Compares the time to seal an AES-128-GCM message with a lasting key, with key bytes, and with a new key object: in
 * Kasoku's C library, OpenSSL's EVP and, optionally, the AVX-512 kernels of Intel's ipsec-mb (source not included).
 *
 *   gcc -O2 bench/new_key.c -Ic-abi/include target/release/libkasoku.so -lcrypto -o target/new_key
 *   ln -sf libkasoku.so target/release/libkasoku.so.0
 *   LD_LIBRARY_PATH=target/release target/new_key [ROUNDS]
 *
 * To add ipsec-mb, whose source is in $S, assemble its files as its own build does:
 *
 *   for f in $S/lib/avx512_t2/{aes128,aes192,aes256}_gcm_api_vaes_avx512.asm \
 *       $S/lib/avx512_t2/aes_gcm_enc_dec_0_to_256_vaes_avx512.asm $S/lib/avx512_t2/gcm_int_api_vaes_avx512.asm \
 *       $S/lib/x86_64/aes_keyexp_{128,256}.asm; do
 *       nasm -f elf64 -I$S/lib/ -I$S/lib/include/ -DLINUX -o target/$(basename $f .asm).o $f
 *   done
 *   gcc -O2 -no-pie -DIPSEC_MB bench/new_key.c target/{*gcm*avx512,aes_keyexp_*}.o ... as above
 *
 * All contenders take turns in each round. Checks that all contenders produce the same ciphertext and tag, then prints
 * the shortest time of a call over all rounds in nanoseconds.
 */
#include <kasoku.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_BYTES 16384
#define AAD_BYTES 13

/* Number of calls between two readings of the clock. */
#define CALLS 64
/* Minimum time of a contender in a round, in nanoseconds. */
#define SLICE 400000

#define NONCE_BYTES 12
#define KEY_BYTES 16

static uint8_t input[MAX_BYTES], output[MAX_BYTES], tag[16], aad[AAD_BYTES];
static size_t bytes;

/* The nonces and keys of the calls, written long before they are read. A nonce written in pieces just before a wide
   load would cause a store-forwarding stall. */
static uint8_t nonces[CALLS][16], keys[CALLS][KEY_BYTES];
static const uint8_t *nonce = nonces[0], *key = keys[0];

static void change_nonces_and_keys(void) {
    static uint32_t count;
    for (int call = 0; call < CALLS; call++) {
        count++;
        memcpy(nonces[call], &count, sizeof count);
        memcpy(keys[call], &count, sizeof count);
    }
}

static kasoku_gcm *lasting;

static void kasoku_lasting(void) {
    kasoku_gcm_seal(lasting, nonce, NONCE_BYTES, aad, AAD_BYTES, input, bytes, output, tag);
}

static void kasoku_once(void) {
    kasoku_gcm_seal_once(key, KEY_BYTES, nonce, NONCE_BYTES, aad, AAD_BYTES, input, bytes, output, tag);
}

static void kasoku_object(void) {
    kasoku_gcm *gcm = kasoku_gcm_new(key, KEY_BYTES);
    kasoku_gcm_seal(gcm, nonce, NONCE_BYTES, aad, AAD_BYTES, input, bytes, output, tag);
    kasoku_gcm_free(gcm);
}

static EVP_CIPHER_CTX *evp_context;

static void evp_seal(const uint8_t *new_key) {
    int written;
    EVP_EncryptInit_ex(evp_context, NULL, NULL, new_key, nonce);
    EVP_EncryptUpdate(evp_context, NULL, &written, aad, AAD_BYTES);
    EVP_EncryptUpdate(evp_context, output, &written, input, (int)bytes);
    EVP_EncryptFinal_ex(evp_context, output + written, &written);
    EVP_CIPHER_CTX_ctrl(evp_context, EVP_CTRL_AEAD_GET_TAG, sizeof tag, tag);
}

static void openssl_lasting(void) { evp_seal(NULL); }
static void openssl_new(void) { evp_seal(key); }

#ifdef IPSEC_MB
/* Memory for the library's key or message structure, which are smaller. */
typedef struct {
    uint8_t bytes[16384];
} __attribute__((aligned(64))) ipsec_memory;

void aes_keyexp_128_enc_avx512(const void *key, void *round_keys);
void aes_gcm_precomp_128_vaes_avx512(ipsec_memory *key);
void aes_gcm_enc_128_vaes_avx512(const ipsec_memory *key, ipsec_memory *message, uint8_t *out, const uint8_t *in,
                                 uint64_t len, const uint8_t *nonce, const uint8_t *aad, uint64_t aad_len, uint8_t *tag,
                                 uint64_t tag_len);
/* Needed for linking: only the GMAC functions call it, which are not used here. */
void ghash_internal_vaes_avx512(void) {}
int imb_errno;

static ipsec_memory ipsec_key, ipsec_new_key, ipsec_message;

static void ipsec_expand(ipsec_memory *expanded) {
    aes_keyexp_128_enc_avx512(key, expanded);
    aes_gcm_precomp_128_vaes_avx512(expanded);
}

static void ipsec_seal(const ipsec_memory *expanded) {
    aes_gcm_enc_128_vaes_avx512(expanded, &ipsec_message, output, input, bytes, nonce, aad, AAD_BYTES, tag, sizeof tag);
}

static void ipsec_lasting(void) { ipsec_seal(&ipsec_key); }

static void ipsec_new(void) {
    ipsec_expand(&ipsec_new_key);
    ipsec_seal(&ipsec_new_key);
}
#endif

static const struct {
    const char *name;
    void (*seal)(void);
} contenders[] = {
    {"kasoku, lasting key", kasoku_lasting},
    {"openssl, lasting key", openssl_lasting},
#ifdef IPSEC_MB
    {"ipsec-mb, lasting key", ipsec_lasting},
#endif
    {"kasoku, seal_once", kasoku_once},
    {"kasoku, new, seal, free", kasoku_object},
    {"openssl, new key", openssl_new},
#ifdef IPSEC_MB
    {"ipsec-mb, new key", ipsec_new},
#endif
};
#define CONTENDERS (sizeof contenders / sizeof *contenders)

static const size_t sizes[] = {16, 64, 256, 1440, 16384};
#define SIZES (sizeof sizes / sizeof *sizes)

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Returns the mean time of a call in nanoseconds. */
static double measure(size_t contender) {
    change_nonces_and_keys();
    double begin = now(), end;
    long calls = 0;
    do {
        for (int call = 0; call < CALLS; call++) {
            nonce = nonces[call];
            key = keys[call];
            contenders[contender].seal();
        }
        calls += CALLS;
        end = now();
    } while (end - begin < SLICE);
    return (end - begin) / (double)calls;
}

static void check(void) {
    static uint8_t expected[MAX_BYTES], expected_tag[16];
    for (size_t contender = 0; contender < CONTENDERS; contender++) {
        contenders[contender].seal();
        if (contender == 0) {
            memcpy(expected, output, bytes);
            memcpy(expected_tag, tag, sizeof tag);
        } else if (memcmp(output, expected, bytes) || memcmp(tag, expected_tag, sizeof tag)) {
            fprintf(stderr, "%s: wrong result at %zu bytes\n", contenders[contender].name, bytes);
            exit(1);
        }
    }
}

int main(int count, char **arguments) {
    static double least[CONTENDERS][SIZES];
    int rounds = count > 1 ? atoi(arguments[1]) : 40;
    lasting = kasoku_gcm_new(key, KEY_BYTES);
    evp_context = EVP_CIPHER_CTX_new();
    if (!lasting || !evp_context || !EVP_EncryptInit_ex(evp_context, EVP_aes_128_gcm(), NULL, key, nonce)) {
        fputs("no key could be made\n", stderr);
        return 1;
    }
#ifdef IPSEC_MB
    ipsec_expand(&ipsec_key);
#endif
    for (size_t size = 0; size < SIZES; size++) {
        bytes = sizes[size];
        check();
    }
    for (int round = 0; round < rounds; round++)
        for (size_t size = 0; size < SIZES; size++)
            for (size_t contender = 0; contender < CONTENDERS; contender++) {
                bytes = sizes[size];
                double took = measure(contender);
                if (round == 0 || took < least[contender][size]) least[contender][size] = took;
            }
    printf("%-24s", "bytes");
    for (size_t size = 0; size < SIZES; size++) printf("%8zu", sizes[size]);
    for (size_t contender = 0; contender < CONTENDERS; contender++) {
        printf("\n%-24s", contenders[contender].name);
        for (size_t size = 0; size < SIZES; size++) printf("%8.1f", least[contender][size]);
    }
    putchar('\n');
    kasoku_gcm_free(lasting);
    EVP_CIPHER_CTX_free(evp_context);
    return 0;
}
