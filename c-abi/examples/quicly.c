/*
 * Kasoku behind picotls and quicly: AES-128-GCM as an algorithm of picotls, and a crypto engine of quicly that seals
 * a packet and protects its header in one pass. The program protects and opens the packets of RFC 9001 Appendix A.
 *
 *   cc quicly.c $(pkg-config --cflags --libs kasoku) -o quicly && ./quicly
 *
 * Alone it declares the few names of picotls and quicly that it needs. With their headers and libraries:
 *
 *   cc -DWITH_QUICLY quicly.c $(pkg-config --cflags --libs kasoku) -lquicly -lpicotls-core ... -o quicly && ./quicly
 *
 * In a program of yours, put `kasoku_aes128gcm` into the AES-128-GCM suite of your `ptls_context_t`, and
 * `kasoku_crypto_engine` into your `quicly_context_t`. For AES-256-GCM, repeat the two tables with keys of 32 bytes.
 */

#include <stdlib.h>

#include "rfc9001.h"

#ifdef WITH_QUICLY
#include <quicly.h>
#include <quicly/defaults.h>
#include <picotls/openssl.h>

#define HASH (&ptls_openssl_sha256)

#else

/* picotls's and quicly's types with only the members that this file uses. No code of the libraries is copied. */
typedef struct {
    uint8_t *base;
    size_t len;
} ptls_iovec_t;

typedef struct cipher_context {
    const struct cipher_algorithm *algo;
    void (*do_dispose)(struct cipher_context *ctx);
    void (*do_init)(struct cipher_context *ctx, const void *iv);
    void (*do_transform)(struct cipher_context *ctx, void *output, const void *input, size_t len);
} ptls_cipher_context_t;

typedef const struct cipher_algorithm {
    const char *name;
    size_t key_size, block_size, iv_size, context_size;
    int (*setup_crypto)(ptls_cipher_context_t *ctx, int is_enc, const void *key);
} ptls_cipher_algorithm_t;

typedef struct {
    ptls_cipher_context_t *ctx;
    const void *input;
    uint8_t output[16];
} ptls_aead_supplementary_encryption_t;

typedef struct aead_context {
    const struct aead_algorithm *algo;
    void (*dispose_crypto)(struct aead_context *ctx);
    void (*do_get_iv)(struct aead_context *ctx, void *iv);
    void (*do_set_iv)(struct aead_context *ctx, const void *iv);
    void (*do_encrypt)(struct aead_context *ctx, void *output, const void *input, size_t len, uint64_t seq,
                       const void *aad, size_t aad_len, ptls_aead_supplementary_encryption_t *supp);
    void (*do_encrypt_v)(struct aead_context *ctx, void *output, ptls_iovec_t *input, size_t count, uint64_t seq,
                         const void *aad, size_t aad_len);
    size_t (*do_decrypt)(struct aead_context *ctx, void *output, const void *input, size_t len, uint64_t seq,
                         const void *aad, size_t aad_len);
} ptls_aead_context_t;

typedef const struct aead_algorithm {
    const char *name;
    uint64_t confidentiality_limit, integrity_limit;
    ptls_cipher_algorithm_t *ctr_cipher;
    size_t key_size, iv_size, tag_size, context_size;
    int (*setup_crypto)(ptls_aead_context_t *ctx, int is_enc, const void *key, const void *iv);
} ptls_aead_algorithm_t;

typedef struct hash_algorithm ptls_hash_algorithm_t;
typedef struct connection quicly_conn_t;

typedef struct crypto_engine {
    int (*setup_cipher)(struct crypto_engine *engine, quicly_conn_t *conn, size_t epoch, int is_enc,
                        ptls_cipher_context_t **header_protect_ctx, ptls_aead_context_t **packet_protect_ctx,
                        ptls_aead_algorithm_t *aead, ptls_hash_algorithm_t *hash, const void *secret);
    void (*encrypt_packet)(struct crypto_engine *engine, quicly_conn_t *conn,
                           ptls_cipher_context_t *header_protect_ctx, ptls_aead_context_t *packet_protect_ctx,
                           ptls_iovec_t datagram, size_t first_byte_at, size_t payload_from, uint64_t packet_number,
                           int coalesced);
} quicly_crypto_engine_t;

static void ptls_cipher_free(ptls_cipher_context_t *ctx)
{
    ctx->do_dispose(ctx);
    free(ctx);
}

static void ptls_aead_free(ptls_aead_context_t *ctx)
{
    ctx->dispose_crypto(ctx);
    free(ctx);
}

/* Stands in for quicly's function, which derives the keys from `secret`. This one only knows the published keys. */
static int setup_known_cipher(quicly_crypto_engine_t *engine, quicly_conn_t *conn, size_t epoch, int is_enc,
                              ptls_cipher_context_t **header_protect_ctx, ptls_aead_context_t **packet_protect_ctx,
                              ptls_aead_algorithm_t *aead, ptls_hash_algorithm_t *hash, const void *secret)
{
    const struct published *published = published_packets;
    uint8_t key[32], iv[16];

    (void)engine, (void)conn, (void)epoch, (void)hash;
    while (from_hex(published->secret, key) != sizeof key || memcmp(key, secret, sizeof key) != 0)
        published++;
    *header_protect_ctx = (ptls_cipher_context_t *)calloc(1, aead->ctr_cipher->context_size);
    *packet_protect_ctx = (ptls_aead_context_t *)calloc(1, aead->context_size);
    if (*header_protect_ctx == NULL || *packet_protect_ctx == NULL)
        return 1;
    (*header_protect_ctx)->algo = aead->ctr_cipher;
    (*packet_protect_ctx)->algo = aead;
    from_hex(published->hp_key, key);
    if (aead->ctr_cipher->setup_crypto(*header_protect_ctx, is_enc, key) != 0)
        return 1;
    from_hex(published->key, key);
    from_hex(published->iv, iv);
    return aead->setup_crypto(*packet_protect_ctx, is_enc, key, iv);
}

static quicly_crypto_engine_t quicly_default_crypto_engine = {setup_known_cipher, NULL};

#define HASH NULL

#endif

#define MAX_KEY_LEN 32

/* Header-protection key of one direction. picotls uses it as a cipher that encrypts zeros, with the sample as IV. */
struct header_key {
    ptls_cipher_context_t super;
    kasoku_quic *quic; /* only makes masks, so its packet key does not matter */
    uint8_t key[MAX_KEY_LEN];
    uint8_t mask[MASK_LEN];
};

static void dispose_header_key(ptls_cipher_context_t *ctx)
{
    struct header_key *header = (struct header_key *)ctx;

    kasoku_quic_free(header->quic);
    memset(header->key, 0, MAX_KEY_LEN); /* a real back end uses ptls_clear_memory() */
}

static void set_sample(ptls_cipher_context_t *ctx, const void *sample)
{
    struct header_key *header = (struct header_key *)ctx;

    header_mask(header->quic, (const uint8_t *)sample, header->mask);
}

static void apply_mask(ptls_cipher_context_t *ctx, void *output, const void *input, size_t len)
{
    struct header_key *header = (struct header_key *)ctx;
    size_t i;

    for (i = 0; i < len; i++)
        ((uint8_t *)output)[i] = ((const uint8_t *)input)[i] ^ (i < MASK_LEN ? header->mask[i] : 0);
}

static int setup_header_key(ptls_cipher_context_t *ctx, int is_enc, const void *key)
{
    static const uint8_t no_iv[IV_LEN];
    struct header_key *header = (struct header_key *)ctx;

    (void)is_enc;
    ctx->do_dispose = dispose_header_key;
    ctx->do_init = set_sample;
    ctx->do_transform = apply_mask;
    memcpy(header->key, key, ctx->algo->key_size);
    header->quic = kasoku_quic_new(header->key, ctx->algo->key_size, no_iv, header->key);
    return header->quic == NULL;
}

/* Packet key of one direction and key phase, or key of TLS records. */
struct packet_key {
    ptls_aead_context_t super;
    kasoku_gcm *gcm;   /* for received packets, TLS records and Retry tags */
    kasoku_quic *quic; /* for packets to send; NULL before the first one */
    uint8_t key[MAX_KEY_LEN], iv[IV_LEN];
};

static void dispose_packet_key(ptls_aead_context_t *ctx)
{
    struct packet_key *packet_key = (struct packet_key *)ctx;

    kasoku_gcm_free(packet_key->gcm);
    kasoku_quic_free(packet_key->quic);
    memset(packet_key->key, 0, MAX_KEY_LEN);
}

static void get_iv(ptls_aead_context_t *ctx, void *iv)
{
    memcpy(iv, ((struct packet_key *)ctx)->iv, IV_LEN);
}

static void set_iv(ptls_aead_context_t *ctx, const void *iv)
{
    struct packet_key *packet_key = (struct packet_key *)ctx;

    memcpy(packet_key->iv, iv, IV_LEN);
    kasoku_quic_free(packet_key->quic); /* has the old IV */
    packet_key->quic = NULL;
}

/* Seals a message, and then computes the mask that the caller applies to the header, if it passes `supp`. */
static void seal(ptls_aead_context_t *ctx, void *output, const void *input, size_t len, uint64_t seq, const void *aad,
                 size_t aad_len, ptls_aead_supplementary_encryption_t *supp)
{
    struct packet_key *packet_key = (struct packet_key *)ctx;
    uint8_t nonce[IV_LEN], *out = (uint8_t *)output;

    make_nonce(packet_key->iv, seq, nonce);
    if (kasoku_gcm_seal(packet_key->gcm, nonce, IV_LEN, (const uint8_t *)aad, aad_len, (const uint8_t *)input, len,
                        out, out + len) != KASOKU_OK)
        memset(out, 0, len + TAG_LEN); /* there is no error to return, and nothing may go out in the clear */
    if (supp != NULL) {
        memset(supp->output, 0, sizeof supp->output);
        supp->ctx->do_init(supp->ctx, supp->input);
        supp->ctx->do_transform(supp->ctx, supp->output, supp->output, sizeof supp->output);
    }
}

/* Seals a message in several pieces. The first may be at the output's address, where picotls encrypts it in place. */
static void seal_pieces(ptls_aead_context_t *ctx, void *output, ptls_iovec_t *input, size_t count, uint64_t seq,
                        const void *aad, size_t aad_len)
{
    size_t i, len = 0;

    for (i = 0; i < count; len += input[i++].len)
        if (input[i].len > 0)
            memmove((uint8_t *)output + len, input[i].base, input[i].len);
    seal(ctx, output, output, len, seq, aad, aad_len, NULL);
}

static size_t open_message(ptls_aead_context_t *ctx, void *output, const void *input, size_t len, uint64_t seq,
                           const void *aad, size_t aad_len)
{
    struct packet_key *packet_key = (struct packet_key *)ctx;
    const uint8_t *in = (const uint8_t *)input;
    uint8_t nonce[IV_LEN];

    if (len < TAG_LEN)
        return SIZE_MAX;
    make_nonce(packet_key->iv, seq, nonce);
    len -= TAG_LEN;
    if (kasoku_gcm_open(packet_key->gcm, nonce, IV_LEN, (const uint8_t *)aad, aad_len, in, len, in + len,
                        (uint8_t *)output) != KASOKU_OK)
        return SIZE_MAX;
    return len;
}

static int setup_packet_key(ptls_aead_context_t *ctx, int is_enc, const void *key, const void *iv)
{
    struct packet_key *packet_key = (struct packet_key *)ctx;

    (void)is_enc;
    ctx->dispose_crypto = dispose_packet_key;
    ctx->do_get_iv = get_iv;
    ctx->do_set_iv = set_iv;
    ctx->do_encrypt = seal;
    ctx->do_encrypt_v = seal_pieces;
    ctx->do_decrypt = open_message;
    memcpy(packet_key->key, key, ctx->algo->key_size);
    memcpy(packet_key->iv, iv, IV_LEN);
    packet_key->quic = NULL;
    packet_key->gcm = kasoku_gcm_new(packet_key->key, ctx->algo->key_size);
    return packet_key->gcm == NULL;
}

static ptls_cipher_algorithm_t kasoku_aes128_header = {
    .name = "AES128-CTR",
    .key_size = 16,
    .block_size = 1,
    .iv_size = SAMPLE_LEN,
    .context_size = sizeof(struct header_key),
    .setup_crypto = setup_header_key,
};

static ptls_aead_algorithm_t kasoku_aes128gcm = {
    .name = "AES128-GCM",
    .confidentiality_limit = UINT64_C(1) << 23, /* RFC 9001 section 6.6 */
    .integrity_limit = UINT64_C(1) << 52,
    .ctr_cipher = &kasoku_aes128_header,
    .key_size = 16,
    .iv_size = IV_LEN,
    .tag_size = TAG_LEN,
    .context_size = sizeof(struct packet_key),
    .setup_crypto = setup_packet_key,
};

/*
 * Derives the keys of one direction from a secret. quicly's own function does so with `kasoku_aes128gcm`; it calls
 * setup_packet_key() and, except for a key update, setup_header_key().
 */
static int setup_cipher(quicly_crypto_engine_t *engine, quicly_conn_t *conn, size_t epoch, int is_enc,
                        ptls_cipher_context_t **header_protect_ctx, ptls_aead_context_t **packet_protect_ctx,
                        ptls_aead_algorithm_t *aead, ptls_hash_algorithm_t *hash, const void *secret)
{
    return quicly_default_crypto_engine.setup_cipher(engine, conn, epoch, is_enc, header_protect_ctx,
                                                     packet_protect_ctx, aead, hash, secret);
}

/*
 * Seals the packet that ends the datagram, and protects its header, in one pass. The datagram has room for the tag.
 * Only here quicly passes header key and packet key together, so the first packet under a packet key creates the
 * kasoku_quic object from both.
 */
static void encrypt_packet(quicly_crypto_engine_t *engine, quicly_conn_t *conn,
                           ptls_cipher_context_t *header_protect_ctx, ptls_aead_context_t *packet_protect_ctx,
                           ptls_iovec_t datagram, size_t first_byte_at, size_t payload_from, uint64_t packet_number,
                           int coalesced)
{
    struct header_key *header = (struct header_key *)header_protect_ctx;
    struct packet_key *packet_key = (struct packet_key *)packet_protect_ctx;
    uint8_t *packet = datagram.base + first_byte_at;
    size_t packet_len = datagram.len - first_byte_at - TAG_LEN;
    size_t pn_len = (size_t)(packet[0] & 0x03) + 1;

    if (packet_protect_ctx->dispose_crypto != dispose_packet_key) { /* ChaCha20-Poly1305 */
        quicly_default_crypto_engine.encrypt_packet(engine, conn, header_protect_ctx, packet_protect_ctx, datagram,
                                                    first_byte_at, payload_from, packet_number, coalesced);
        return;
    }
    if (packet_key->quic == NULL)
        packet_key->quic =
            kasoku_quic_new(packet_key->key, packet_key->super.algo->key_size, packet_key->iv, header->key);
    if (packet_key->quic == NULL ||
        kasoku_quic_protect(packet_key->quic, packet_number, packet, payload_from - pn_len - first_byte_at, pn_len,
                            packet_len) != KASOKU_OK)
        memset(packet, 0, packet_len + TAG_LEN); /* there is no error to return, and nothing may go out in the clear */
}

static quicly_crypto_engine_t kasoku_crypto_engine = {setup_cipher, encrypt_packet};

/* Opens a received packet as a QUIC stack does. Returns the payload's length; the payload is at `*payload_from`. */
static size_t receive_packet(ptls_cipher_context_t *header, ptls_aead_context_t *packet_key, uint8_t *packet,
                             size_t pn_offset, size_t packet_len, size_t *payload_from)
{
    static const uint8_t zeros[MASK_LEN];
    uint64_t number = 0;
    uint8_t mask[MASK_LEN];
    size_t i, pn_len;

    header->do_init(header, packet + pn_offset + 4);
    header->do_transform(header, mask, zeros, MASK_LEN);
    packet[0] ^= mask[0] & ((packet[0] & 0x80) != 0 ? 0x0f : 0x1f);
    pn_len = (size_t)(packet[0] & 0x03) + 1;
    for (i = 0; i < pn_len; i++) {
        packet[pn_offset + i] ^= mask[1 + i];
        number = number << 8 | packet[pn_offset + i]; /* numbers are small here, so that this is all of it */
    }
    *payload_from = pn_offset + pn_len;
    return packet_key->do_decrypt(packet_key, packet + *payload_from, packet + *payload_from,
                                  packet_len - *payload_from, number, packet, *payload_from);
}

/*
 * Protects a packet of RFC 9001 Appendix A as the second packet of a datagram, compares it with the RFC, and opens it.
 * Then checks that a modified copy is rejected.
 */
static int try_packet(const struct published *published)
{
    enum { RECEIVER, SENDER, BEFORE = 100 };
    static uint8_t buffer[1500], plain[1500], expected[1500];
    uint8_t *packet = buffer + BEFORE, secret[32];
    size_t packet_len = from_hex(published->packet, expected), payload_len, payload_from;
    size_t header_len = from_hex(published->header, plain), pn_offset = header_len - (plain[0] & 0x03) - 1;
    ptls_cipher_context_t *headers[2];
    ptls_aead_context_t *keys[2];
    ptls_aead_supplementary_encryption_t supp;
    ptls_iovec_t datagram;
    int i, right;

    memset(plain + header_len, 0, sizeof plain - header_len);
    from_hex(published->payload, plain + header_len);
    from_hex(published->secret, secret);
    for (i = RECEIVER; i <= SENDER; i++)
        if (kasoku_crypto_engine.setup_cipher(&kasoku_crypto_engine, NULL, 0, i, &headers[i], &keys[i],
                                              &kasoku_aes128gcm, HASH, secret) != 0)
            return check(0, published->name, "no keys");

    memcpy(packet, plain, packet_len - TAG_LEN);
    datagram.base = buffer;
    datagram.len = BEFORE + packet_len;
    kasoku_crypto_engine.encrypt_packet(&kasoku_crypto_engine, NULL, headers[SENDER], keys[SENDER], datagram, BEFORE,
                                        BEFORE + header_len, published->number, 1);
    right = check(memcmp(packet, expected, packet_len) == 0, published->name, "protected to something else");

    payload_len = receive_packet(headers[RECEIVER], keys[RECEIVER], packet, pn_offset, packet_len, &payload_from);
    right &= check(payload_from == header_len && payload_len == packet_len - TAG_LEN - header_len &&
                       memcmp(packet, plain, packet_len - TAG_LEN) == 0,
                   published->name, "opened to something else");

    memcpy(packet, expected, packet_len);
    packet[packet_len / 2] ^= 1;
    payload_len = receive_packet(headers[RECEIVER], keys[RECEIVER], packet, pn_offset, packet_len, &payload_from);
    right &= check(payload_len == SIZE_MAX, published->name, "accepted although modified");

    /* Without our engine, quicly passes the place of the sample and applies the mask itself. */
    memcpy(packet, plain, packet_len - TAG_LEN);
    supp.ctx = headers[SENDER];
    supp.input = packet + pn_offset + 4;
    keys[SENDER]->do_encrypt(keys[SENDER], packet + header_len, packet + header_len,
                             packet_len - header_len - TAG_LEN, published->number, packet, header_len, &supp);
    packet[0] ^= supp.output[0] & 0x0f;
    for (i = 0; pn_offset + i < header_len; i++)
        packet[pn_offset + i] ^= supp.output[1 + i];
    right &= check(memcmp(packet, expected, packet_len) == 0, published->name, "sealed and masked to something else");

    for (i = RECEIVER; i <= SENDER; i++) {
        ptls_cipher_free(headers[i]);
        ptls_aead_free(keys[i]);
    }
    if (right)
        printf("%s: %d bytes protected and opened\n", published->name, (int)packet_len);
    return right;
}

int main(void)
{
    return try_packet(&published_packets[0]) & try_packet(&published_packets[1]) ? 0 : 1;
}
