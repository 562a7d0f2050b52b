/* Uses the provider in every way that accesses memory: for valgrind and AddressSanitizer, and across a fork. Declares
 * the functions of OpenSSL itself, without headers. OPENSSL_CONF names the configuration with the provider.
 *
 *     every_way [fork]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct cipher EVP_CIPHER;
typedef struct context EVP_CIPHER_CTX;
EVP_CIPHER *EVP_CIPHER_fetch(void *, const char *, const char *);
void EVP_CIPHER_free(EVP_CIPHER *);
EVP_CIPHER_CTX *EVP_CIPHER_CTX_new(void);
void EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *);
int EVP_CIPHER_CTX_copy(EVP_CIPHER_CTX *, const EVP_CIPHER_CTX *);
int EVP_CipherInit_ex(EVP_CIPHER_CTX *, const EVP_CIPHER *, void *, const unsigned char *, const unsigned char *, int);
int EVP_CipherUpdate(EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int);
int EVP_CipherFinal_ex(EVP_CIPHER_CTX *, unsigned char *, int *);
int EVP_CIPHER_CTX_ctrl(EVP_CIPHER_CTX *, int, int, void *);
int EVP_CIPHER_CTX_get_updated_iv(EVP_CIPHER_CTX *, void *, size_t);
int OSSL_PROVIDER_available(void *, const char *);
void OPENSSL_cleanup(void);

enum { SET_IVLEN = 0x9, GET_TAG = 0x10, SET_TAG = 0x11, SET_IV_FIXED = 0x12, TLS1_AAD = 0x16 };

#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);              \
            exit(1);                                                             \
        }                                                                        \
    } while (0)

/* Allocates exactly the bytes that are used, so that a sanitizer detects accesses beyond them. */
static unsigned char *exactly(size_t bytes)
{
    unsigned char *buffer = malloc(bytes ? bytes : 1);
    CHECK(buffer != NULL);
    memset(buffer, 0x5A, bytes);
    return buffer;
}

static void message(const EVP_CIPHER *cipher, const EVP_CIPHER *other,
                    int key_bytes, int iv_bytes, int bytes, int piece)
{
    unsigned char *key = exactly(key_bytes), *iv = exactly(iv_bytes), *aad = exactly(21), *tag = exactly(16);
    unsigned char *text = exactly(bytes), *sealed = exactly(bytes), *opened = exactly(bytes);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
    int out, at;

    CHECK(EVP_CipherInit_ex(context, cipher, NULL, NULL, NULL, 1) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(context, SET_IVLEN, iv_bytes, NULL) == 1);
    CHECK(EVP_CipherInit_ex(context, NULL, NULL, key, iv, 1) == 1);
    CHECK(EVP_CipherUpdate(context, NULL, &out, aad, 21) == 1);
    for (at = 0; at < bytes; at += piece) {
        int now = bytes - at < piece ? bytes - at : piece;
        CHECK(EVP_CipherUpdate(context, sealed + at, &out, text + at, now) == 1 && out == now);
        /* Continues with a copy of the context after every piece. */
        CHECK(EVP_CIPHER_CTX_copy(copy, context) == 1);
        EVP_CIPHER_CTX *swap = context;
        context = copy;
        copy = swap;
    }
    CHECK(EVP_CipherFinal_ex(context, sealed + bytes, &out) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(context, GET_TAG, 16, tag) == 1);
    CHECK(EVP_CipherUpdate(context, sealed, &out, text, 1) == 0);

    CHECK(EVP_CipherInit_ex(copy, other, NULL, NULL, NULL, 0) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(copy, SET_IVLEN, iv_bytes, NULL) == 1);
    CHECK(EVP_CipherInit_ex(copy, NULL, NULL, key, iv, 0) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(copy, SET_TAG, 16, tag) == 1);
    CHECK(EVP_CipherUpdate(copy, NULL, &out, aad, 21) == 1);
    if (bytes > 0)
        CHECK(EVP_CipherUpdate(copy, opened, &out, sealed, bytes) == 1 && out == bytes);
    CHECK(EVP_CipherFinal_ex(copy, opened + bytes, &out) == 1);
    CHECK(memcmp(text, opened, bytes) == 0);

    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_CTX_free(copy);
    free(key), free(iv), free(aad), free(tag), free(text), free(sealed), free(opened);
}

/* Freed after OpenSSL has cleaned up, like a static object of a C++ program, together with the provider. */
static EVP_CIPHER_CTX *late;

__attribute__((destructor)) static void free_late(void)
{
    EVP_CIPHER_CTX_free(late);
}

static EVP_CIPHER_CTX *record_context(const EVP_CIPHER *cipher, int encrypts)
{
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    unsigned char key[16] = {1, 2, 3}, fixed[4] = {4, 5, 6, 7};
    CHECK(EVP_CipherInit_ex(context, cipher, NULL, key, NULL, encrypts) == 1);
    CHECK(EVP_CIPHER_CTX_ctrl(context, SET_IV_FIXED, 4, fixed) == 1);
    return context;
}

/* Seals a record with one context and opens it with the other; a forged record must become zeros. */
static void record(EVP_CIPHER_CTX *sender, EVP_CIPHER_CTX *receiver, int bytes, int is_forged)
{
    int all = bytes + 24, out;
    unsigned char *buffer = exactly(all);
    unsigned char aad[13] = {0, 0, 0, 0, 0, 0, 0, 9, 23, 3, 3, (bytes + 8) >> 8, (bytes + 8) & 255};
    CHECK(EVP_CIPHER_CTX_ctrl(sender, TLS1_AAD, 13, aad) == 16);
    CHECK(EVP_CipherUpdate(sender, buffer, &out, buffer, all) == 1 && out == all);
    aad[11] = all >> 8;
    aad[12] = all & 255;
    buffer[all - 1] ^= is_forged;
    CHECK(EVP_CIPHER_CTX_ctrl(receiver, TLS1_AAD, 13, aad) == 16);
    CHECK(EVP_CipherUpdate(receiver, buffer, &out, buffer, all) == !is_forged);
    for (int at = 8; at < 8 + bytes; at++)
        CHECK(buffer[at] == (is_forged ? 0 : 0x5A));
    free(buffer);
}

/* Continues both ends of a connection in two processes, with contexts that draw random IVs there. */
static void across_a_fork(const EVP_CIPHER *cipher)
{
    EVP_CIPHER_CTX *sender = record_context(cipher, 1), *receiver = record_context(cipher, 0);
    EVP_CIPHER_CTX *drawing = EVP_CIPHER_CTX_new();
    unsigned char key[16] = {8}, ivs[2][12];
    int channel[2], status, out;
    CHECK(EVP_CipherInit_ex(drawing, cipher, NULL, key, NULL, 1) == 1);
    record(sender, receiver, 100, 0);
    CHECK(pipe(channel) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    for (int turn = 0; turn < 1000; turn++)
        record(sender, receiver, turn, turn % 10 == 0);
    unsigned char text[4] = {0};
    CHECK(EVP_CipherUpdate(drawing, text, &out, text, 4) == 1);
    CHECK(EVP_CIPHER_CTX_get_updated_iv(drawing, ivs[0], 12) == 1);
    EVP_CIPHER_CTX_free(sender);
    EVP_CIPHER_CTX_free(receiver);
    EVP_CIPHER_CTX_free(drawing);
    if (child == 0) {
        CHECK(write(channel[1], ivs[0], 12) == 12);
        _exit(0);
    }
    CHECK(read(channel[0], ivs[1], 12) == 12);
    CHECK(memcmp(ivs[0], ivs[1], 12) != 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(int count, char **arguments)
{
    CHECK(OSSL_PROVIDER_available(NULL, "kasoku") == 1);
    static const char *const names[] = {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM"};
    static const int sizes[] = {0, 1, 15, 16, 17, 64, 600, 1350, 1536, 1537, 16385};
    static const int pieces[] = {1 << 20, 13, 64};
    for (int name = 0; name < 3; name++) {
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, names[name], "provider=kasoku");
        EVP_CIPHER *other = EVP_CIPHER_fetch(NULL, names[name], "provider=default");
        CHECK(cipher != NULL && other != NULL);
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
            for (int piece = 0; piece < 3; piece++) {
                message(cipher, other, 16 + 8 * name, 12, sizes[size], pieces[piece]);
                message(other, cipher, 16 + 8 * name, 12, sizes[size], pieces[piece]);
                message(cipher, other, 16 + 8 * name, 1 + sizes[size] % 128, sizes[size], pieces[piece]);
            }
        if (name == 0) {
            EVP_CIPHER_CTX *sender = record_context(cipher, 1), *receiver = record_context(cipher, 0);
            for (size_t size = 0; size < sizeof sizes / sizeof *sizes - 1; size++) {
                record(sender, receiver, sizes[size], 0);
                record(sender, receiver, sizes[size], 1);
            }
            EVP_CIPHER_CTX_free(sender);
            EVP_CIPHER_CTX_free(receiver);
            late = record_context(cipher, 1);
            if (count > 1 && strcmp(arguments[1], "fork") == 0)
                across_a_fork(cipher);
        }
        EVP_CIPHER_free(cipher);
        EVP_CIPHER_free(other);
    }
    puts("every way is right");
    OPENSSL_cleanup();
    return 0;
}
