/* Every call of the header, as its comments say; written from the header alone. Says "right" at the end. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kasoku.h>

#define CHECK(condition)                                                   \
    do {                                                                   \
        if (!(condition)) {                                                \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);        \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

/* Buffers come from malloc, each exactly as long as is said, so that a sanitizer sees a byte too many. */
static uint8_t *filled(size_t len, int with)
{
    uint8_t *bytes = malloc(len);

    CHECK(bytes != NULL || len == 0);
    if (len > 0)
        memset(bytes, with, len);
    return bytes;
}

static int are_all(const uint8_t *bytes, size_t len, int value)
{
    size_t i;

    for (i = 0; i < len; i++)
        if (bytes[i] != value)
            return 0;
    return 1;
}

static void whole(const kasoku_gcm *gcm, size_t len)
{
    uint8_t *nonce = filled(12, 1), *aad = filled(20, 2), *text = filled(len, 3);
    uint8_t *sealed = filled(len, 4), *opened = filled(len, 5), *tag = filled(16, 6);

    CHECK(kasoku_gcm_seal(gcm, nonce, 12, aad, 20, text, len, sealed, tag) == KASOKU_OK);
    CHECK(kasoku_gcm_open(gcm, nonce, 12, aad, 20, sealed, len, tag, opened) == KASOKU_OK);
    CHECK(are_all(opened, len, 3));
    CHECK(kasoku_gcm_open(gcm, nonce, 12, aad, 19, sealed, len, tag, opened) == KASOKU_ERR_FORGED);
    CHECK(are_all(opened, len, 0));
    CHECK(kasoku_gcm_open(gcm, nonce, 12, aad, 20, sealed, len, tag, sealed) == KASOKU_OK);
    CHECK(are_all(sealed, len, 3));
    if (len > 1)
        CHECK(kasoku_gcm_seal(gcm, nonce, 12, aad, 20, text, len - 1, text + 1, tag) == KASOKU_ERR_OVERLAP);
    CHECK(kasoku_gcm_seal(gcm, nonce, 0, NULL, 0, NULL, 0, NULL, tag) == KASOKU_ERR_NONCE_LENGTH);
    CHECK(kasoku_gcm_seal(gcm, nonce, 12, NULL, 0, NULL, 0, NULL, tag) == KASOKU_OK);
    CHECK(kasoku_gcm_seal(gcm, nonce, 12, NULL, 1, NULL, 0, NULL, tag) == KASOKU_ERR_NULL);
    CHECK(kasoku_gcm_seal(gcm, nonce, 12, aad, 20, text, (size_t)-1, sealed, tag) == KASOKU_ERR_TEXT_TOO_LONG);
    CHECK(kasoku_gcm_seal(gcm, nonce, 12, aad, (size_t)-1, text, len, sealed, tag) == KASOKU_ERR_AAD_TOO_LONG);
    free(nonce), free(aad), free(text), free(sealed), free(opened), free(tag);
}

static void pieces(const kasoku_gcm *gcm, size_t len, size_t piece)
{
    uint8_t nonce[12] = {9}, tag[16], whole_tag[16];
    uint8_t *text = filled(len, 7), *sealed = filled(len, 8), *whole = filled(len, 9);
    kasoku_gcm_sealing *sealing = kasoku_gcm_sealing_new(gcm, nonce, sizeof nonce);
    kasoku_gcm_opening *opening = kasoku_gcm_opening_new(gcm, nonce, sizeof nonce);
    size_t at;

    CHECK(sealing != NULL && opening != NULL);
    CHECK(kasoku_gcm_sealing_aad(sealing, text, 1) == KASOKU_OK);
    CHECK(kasoku_gcm_sealing_aad(sealing, text, 2) == KASOKU_OK);
    CHECK(kasoku_gcm_opening_aad(opening, text, 3) == KASOKU_OK);
    for (at = 0; at < len; at += piece) {
        size_t bytes = len - at < piece ? len - at : piece;

        CHECK(kasoku_gcm_sealing_update(sealing, text + at, bytes, sealed + at) == KASOKU_OK);
    }
    CHECK(kasoku_gcm_sealing_aad(sealing, text, 1) == KASOKU_ERR_AAD_AFTER_TEXT);
    CHECK(kasoku_gcm_sealing_finish(sealing, tag) == KASOKU_OK);
    CHECK(kasoku_gcm_sealing_finish(sealing, tag) == KASOKU_ERR_FINISHED);
    CHECK(kasoku_gcm_seal(gcm, nonce, sizeof nonce, text, 3, text, len, whole, whole_tag) == KASOKU_OK);
    CHECK(memcmp(sealed, whole, len) == 0 && memcmp(tag, whole_tag, sizeof tag) == 0);
    for (at = 0; at < len; at += piece) {
        size_t bytes = len - at < piece ? len - at : piece;

        CHECK(kasoku_gcm_opening_update(opening, sealed + at, bytes, sealed + at) == KASOKU_OK);
    }
    CHECK(kasoku_gcm_opening_finish(opening, tag) == KASOKU_OK);
    CHECK(are_all(sealed, len, 7));
    kasoku_gcm_sealing_free(sealing);
    kasoku_gcm_opening_free(opening);
    /* Given up in the middle. */
    sealing = kasoku_gcm_sealing_new(gcm, nonce, sizeof nonce);
    CHECK(kasoku_gcm_sealing_update(sealing, text, len, sealed) == KASOKU_OK);
    kasoku_gcm_sealing_free(sealing);
    free(text), free(sealed), free(whole);
}

int main(void)
{
    static const size_t key_lengths[] = {16, 24, 32};
    static const char *const backends[] = {"portable", "aesni", "vaes256", "vaes512"};
    uint8_t *key = filled(32, 0x2b);
    size_t i, len;
    kasoku_gcm *gcm;
    int code;

    CHECK(strchr(kasoku_version(), '.') != NULL);
    for (code = KASOKU_ERR_INTERNAL; code <= KASOKU_OK; code++)
        CHECK(strlen(kasoku_strerror(code)) > 0);
    CHECK(strlen(kasoku_strerror(4711)) > 0);

    CHECK(kasoku_gcm_new(key, 17) == NULL);
    CHECK(kasoku_gcm_new(NULL, 16) == NULL);
    CHECK(kasoku_gcm_create(key, 17, NULL, &gcm) == KASOKU_ERR_KEY_LENGTH && gcm == NULL);
    CHECK(kasoku_gcm_create(key, 16, "quickest", &gcm) == KASOKU_ERR_BACKEND_UNKNOWN && gcm == NULL);
    kasoku_gcm_free(NULL);
    CHECK(kasoku_gcm_backend(NULL) == NULL);

    for (i = 0; i < 3; i++) {
        gcm = kasoku_gcm_new(key, key_lengths[i]);
        CHECK(gcm != NULL && strlen(kasoku_gcm_backend(gcm)) > 0);
        for (len = 0; len < 300; len += 37)
            whole(gcm, len);
        pieces(gcm, 100, 7);
        kasoku_gcm_free(gcm);
    }
    for (i = 0; i < 4; i++) {
        code = kasoku_gcm_create(key, 32, backends[i], &gcm);
        CHECK(code == KASOKU_OK || (code == KASOKU_ERR_BACKEND_UNAVAILABLE && gcm == NULL));
        if (code == KASOKU_OK) {
            CHECK(strcmp(kasoku_gcm_backend(gcm), backends[i]) == 0);
            whole(gcm, 65);
            pieces(gcm, 65, 64);
        }
        kasoku_gcm_free(gcm);
    }
    free(key);
    puts("right");
    return 0;
}
