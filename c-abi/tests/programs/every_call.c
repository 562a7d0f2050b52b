/* Calls every function as documented in the header. Prints "right" at the end. */

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

/* Allocates a buffer of exactly `len` bytes, so that a sanitizer detects accesses beyond them. */
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
    CHECK(kasoku_gcm_open(gcm, nonce, 12, aad, 19, sealed, len, tag, opened) == KASOKU_ERR_AUTHENTICATION);
    CHECK(are_all(opened, len, 0));
    CHECK(kasoku_gcm_open(gcm, nonce, 12, aad, 20, sealed, len, tag, sealed) == KASOKU_OK);
    CHECK(are_all(sealed, len, 3));
    if (len > 1)
        CHECK(kasoku_gcm_seal(gcm, nonce, 12, aad, 20, text, len - 1, text + 1, tag) == KASOKU_ERR_OVERLAP);
    CHECK(kasoku_gcm_seal(gcm, nonce, 0, NULL, 0, NULL, 0, NULL, tag) == KASOKU_ERR_NONCE_LENGTH);
    CHECK(kasoku_gcm_seal(gcm, nonce, 12, NULL, 0, NULL, 0, NULL, tag) == KASOKU_OK);
    CHECK(kasoku_gcm_seal(gcm, nonce, 12, NULL, 1, NULL, 0, NULL, tag) == KASOKU_ERR_NULL);
    CHECK(kasoku_gcm_seal(gcm, nonce, 12, aad, 20, text, (size_t)-1, sealed, tag) == KASOKU_ERR_MESSAGE_TOO_LONG);
    CHECK(kasoku_gcm_seal(gcm, nonce, 12, aad, (size_t)-1, text, len, sealed, tag) == KASOKU_ERR_AAD_TOO_LONG);
    free(nonce), free(aad), free(text), free(sealed), free(opened), free(tag);
}

static void slices(const kasoku_gcm *gcm, size_t len)
{
    uint8_t nonce[12] = {9}, tag[16], whole_tag[16];
    uint8_t *text = filled(len, 7), *sealed = filled(len, 8), *whole = filled(len, 9);
    kasoku_slice *in = (kasoku_slice *)filled(3 * sizeof *in, 0), *aad = (kasoku_slice *)filled(sizeof *aad, 0);

    aad[0].data = text, aad[0].len = 3;
    in[0].data = text, in[0].len = len / 3;
    in[2].data = text + len / 3, in[2].len = len - len / 3; /* in[1] is empty */
    CHECK(kasoku_gcm_seal(gcm, nonce, sizeof nonce, text, 3, text, len, whole, whole_tag) == KASOKU_OK);
    CHECK(kasoku_gcm_seal_vectored(gcm, nonce, sizeof nonce, aad, 1, in, 3, sealed, tag) == KASOKU_OK);
    CHECK(memcmp(sealed, whole, len) == 0 && memcmp(tag, whole_tag, sizeof tag) == 0);
    in[0].data = sealed;
    in[2].data = sealed + len / 3;
    CHECK(kasoku_gcm_open_vectored(gcm, nonce, sizeof nonce, aad, 1, in, 3, tag, whole) == KASOKU_OK);
    CHECK(are_all(whole, len, 7));
    CHECK(kasoku_gcm_open_vectored(gcm, nonce, sizeof nonce, NULL, 0, in, 3, tag, whole) == KASOKU_ERR_AUTHENTICATION);
    CHECK(are_all(whole, len, 0));
    free(text), free(sealed), free(whole), free(in), free(aad);
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
    CHECK(kasoku_gcm_sealing_aad(sealing, text, 1) == KASOKU_ERR_AAD_TOO_LATE);
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
    /* Frees a message that is not finished. */
    sealing = kasoku_gcm_sealing_new(gcm, nonce, sizeof nonce);
    CHECK(kasoku_gcm_sealing_update(sealing, text, len, sealed) == KASOKU_OK);
    kasoku_gcm_sealing_free(sealing);
    free(text), free(sealed), free(whole);
}

/* Returns an unprotected packet whose buffer has exactly `len` bytes, including room for the tag. */
static uint8_t *quic_packet(size_t len, int first)
{
    uint8_t *packet = filled(len, 5);

    packet[0] = (uint8_t)(first | 1); /* two bytes of packet number */
    packet[9] = 0x12;
    packet[10] = 0x34;
    return packet;
}

static void quic_one(const kasoku_quic *quic, size_t len)
{
    uint8_t *packet = quic_packet(len, 0x40);
    uint64_t number = 7;
    size_t pn_len = 7, offset = 7, payload = 7;

    CHECK(kasoku_quic_protect(quic, 0x1234, packet, 0, 2, len - 16) == KASOKU_ERR_PACKET_NUMBER_OFFSET);
    CHECK(kasoku_quic_protect(quic, 0x1234, packet, 9, 5, len - 16) == KASOKU_ERR_PACKET_NUMBER_LENGTH);
    CHECK(kasoku_quic_protect(quic, 0x1234, packet, len - 19, 2, len - 16) == KASOKU_ERR_PACKET_TOO_SHORT);
    CHECK(kasoku_quic_protect(quic, 0x1234, packet, 9, 2, (size_t)-1) == KASOKU_ERR_MESSAGE_TOO_LONG);
    CHECK(kasoku_quic_protect(quic, UINT64_MAX, packet, 9, 2, len - 16) == KASOKU_ERR_PACKET_NUMBER_TOO_LARGE);
    CHECK(are_all(packet + 11, len - 11, 5));
    CHECK(kasoku_quic_protect(quic, 0x1234, packet, 9, 2, len - 16) == KASOKU_OK);
    CHECK(kasoku_quic_unmask(quic, 0x1200, packet, 9, len, &number, &pn_len) == KASOKU_OK);
    CHECK(number == 0x1234 && pn_len == 2);
    CHECK(kasoku_quic_open(quic, number, packet, 9, pn_len, len) == KASOKU_OK);
    CHECK(are_all(packet + 11, len - 11 - 16, 5));
    CHECK(kasoku_quic_open(quic, number, packet, 9, pn_len, len) == KASOKU_ERR_AUTHENTICATION);
    CHECK(are_all(packet + 11, len - 11 - 16, 0));
    free(packet);

    packet = quic_packet(len, 0xC0);
    CHECK(kasoku_quic_protect(quic, 0x1234, packet, 9, 2, len - 16) == KASOKU_OK);
    CHECK(kasoku_quic_unprotect(quic, 0x1200, packet, 9, len, NULL, &offset, &payload) == KASOKU_ERR_NULL);
    CHECK(kasoku_quic_unprotect(quic, 0x1200, packet, 9, len, &number, &offset, &payload) == KASOKU_OK);
    CHECK(number == 0x1234 && offset == 11 && payload == len - 11 - 16);
    CHECK(are_all(packet + offset, payload, 5));
    free(packet);
}

static void quic_many(const kasoku_quic *quic, size_t count, int in_two_steps)
{
    kasoku_quic_packet *packets = (kasoku_quic_packet *)malloc(count * sizeof *packets);
    size_t i;

    for (i = 0; i < count; i++) {
        packets[i].packet_number = 0x1234;
        packets[i].packet = quic_packet(29 + i, 0x40);
        packets[i].pn_offset = 9;
        packets[i].pn_len = 2;
        packets[i].packet_len = 29 + i - 16;
    }
    packets[count / 2].pn_len = 0;
    CHECK(kasoku_quic_protect_batch(quic, packets, count) == count - 1);
    for (i = 0; i < count; i++) {
        CHECK(packets[i].result == (i == count / 2 ? KASOKU_ERR_PACKET_NUMBER_LENGTH : KASOKU_OK));
        packets[i].packet_len += 16;
        packets[i].packet_number = 0;
    }
    if (in_two_steps) {
        CHECK(kasoku_quic_unmask_batch(quic, 0x1200, packets, count) == count);
        CHECK(kasoku_quic_open_batch(quic, packets, count) == count - 1);
    } else {
        CHECK(kasoku_quic_unprotect_batch(quic, 0x1200, packets, count) == count - 1);
    }
    for (i = 0; i < count; i++) {
        CHECK(packets[i].result == (i == count / 2 ? KASOKU_ERR_AUTHENTICATION : KASOKU_OK));
        CHECK(i == count / 2 || (packets[i].packet_number == 0x1234 && packets[i].pn_len == 2));
        /* The packet number of the packet that was never protected may decode to up to four bytes. */
        if (i == count / 2)
            CHECK(are_all(packets[i].packet + 13, 29 + i - 13 - 16, 0));
        else
            CHECK(are_all(packets[i].packet + 11, 29 + i - 11 - 16, 5));
        free(packets[i].packet);
    }
    free(packets);
}

static void quic(const uint8_t *key, size_t key_len, const char *backend)
{
    static const uint8_t id[8] = {0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08};
    uint8_t *iv = filled(12, 9);
    kasoku_quic *now, *next, *path;
    int code = kasoku_quic_create(key, key_len, iv, key, backend, &now);

    CHECK(code == KASOKU_OK || (code == KASOKU_ERR_BACKEND_UNAVAILABLE && now == NULL));
    if (code == KASOKU_OK) {
        CHECK(backend == NULL || strcmp(kasoku_quic_backend(now), backend) == 0);
        CHECK(kasoku_quic_begin_at(now, 0x1000) == KASOKU_OK);
        CHECK(kasoku_quic_next_phase(now, key, key_len - 1, iv, &next) == KASOKU_ERR_KEY_LENGTH && next == NULL);
        CHECK(kasoku_quic_next_phase(now, key, key_len, iv, &next) == KASOKU_OK);
        quic_one(now, 80);
        quic_one(next, 1200);
        quic_many(now, 70, 0);
        quic_many(next, 70, 1);
        CHECK(kasoku_quic_on_path(NULL, 1, &path) == KASOKU_ERR_NULL && path == NULL);
        CHECK(kasoku_quic_on_path(next, 1, &path) == KASOKU_OK);
        CHECK(kasoku_quic_begin_at(path, 0x1000) == KASOKU_OK);
        quic_many(path, 3, 0);
        kasoku_quic_free(path);
        CHECK(kasoku_quic_failed_opens(now) == 5);
        kasoku_quic_free(now);
        CHECK(kasoku_quic_failed_opens(next) == 5);
        CHECK(kasoku_quic_initial(KASOKU_QUIC_V1, KASOKU_QUIC_CLIENT, id, sizeof id, backend, &now) == KASOKU_OK);
        CHECK(kasoku_quic_share_failed_opens(now, next) == KASOKU_OK);
        quic_one(now, 100);
        CHECK(kasoku_quic_failed_opens(next) == 6);
        kasoku_quic_free(next);
        kasoku_quic_free(now);
    }
    free(iv);
}

int main(void)
{
    static const size_t key_lengths[] = {16, 24, 32};
    static const char *const backends[] = {
        "portable", "aesni", "vaes256", "vaes512", "neon", "aes-pmull", "aes-eor3",
    };
    uint8_t *key = filled(32, 0x2b);
    size_t i, len;
    kasoku_gcm *gcm;
    int code;

    CHECK(strchr(kasoku_version(), '.') != NULL);
    for (code = KASOKU_ERR_MEMORY; code <= KASOKU_OK; code++)
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
        slices(gcm, 100);
        kasoku_gcm_free(gcm);
    }
    for (i = 0; i < 3; i++) {
        void *memory = malloc(kasoku_gcm_size());
        CHECK(kasoku_gcm_init(memory, kasoku_gcm_size() - 1, key, 16, &gcm) == KASOKU_ERR_MEMORY && gcm == NULL);
        CHECK(kasoku_gcm_init(memory, kasoku_gcm_size(), key, key_lengths[i], &gcm) == KASOKU_OK);
        CHECK((void *)gcm == memory);
        for (len = 0; len < 300; len += 37)
            whole(gcm, len);
        whole(gcm, 5000);
        pieces(gcm, 100, 7);
        kasoku_gcm_wipe(gcm);
        free(memory);
    }
    kasoku_gcm_wipe(NULL);
    for (i = 0; i < sizeof backends / sizeof *backends; i++) {
        code = kasoku_gcm_create(key, 32, backends[i], &gcm);
        CHECK(code == KASOKU_OK || (code == KASOKU_ERR_BACKEND_UNAVAILABLE && gcm == NULL));
        if (code == KASOKU_OK) {
            CHECK(strcmp(kasoku_gcm_backend(gcm), backends[i]) == 0);
            whole(gcm, 65);
            pieces(gcm, 65, 64);
            slices(gcm, 1445);
        }
        kasoku_gcm_free(gcm);
        quic(key, 16, backends[i]);
        quic(key, 32, backends[i]);
    }
    CHECK(kasoku_quic_new(key, 24, key, key) == NULL);
    CHECK(kasoku_quic_number_bytes(0xac5c02, 0xabe8b3) == 2 && kasoku_quic_number_bytes(0, UINT64_MAX) == 1);
    kasoku_quic_free(kasoku_quic_new(key, 16, key, key));
    kasoku_quic_free(NULL);
    free(key);
    puts("right");
    return 0;
}
