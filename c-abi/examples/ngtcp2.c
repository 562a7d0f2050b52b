/*
 * Kasoku behind ngtcp2: the callbacks `encrypt`, `decrypt` and `hp_mask` for AES-128-GCM. The program protects and
 * opens the packets of RFC 9001 Appendix A, a Retry packet, and packets after a key update.
 *
 *   cc ngtcp2.c $(pkg-config --cflags --libs kasoku) -o ngtcp2 && ./ngtcp2
 *
 * ngtcp2 asks for the ciphertext and then for the header-protection mask. Header and payload of an outgoing packet are
 * in one buffer, so `encrypt` computes both in one pass, and `hp_mask` returns the stored mask. ngtcp2 unprotects the
 * header of a received packet before it calls `decrypt`, so opening cannot be combined with the mask.
 *
 * By default this file declares the few names of ngtcp2 that it needs; with -DWITH_NGTCP2 it includes ngtcp2's header.
 */

#include <stdlib.h>

#include "rfc9001.h"

#ifdef WITH_NGTCP2
#include <ngtcp2/ngtcp2.h>
#else

/* ngtcp2's types with only the members that this file uses. No code of the library is copied. */
enum { NGTCP2_ERR_DECRYPT = -1, NGTCP2_ERR_CALLBACK_FAILURE = -2 };

typedef struct {
    void *native_handle;
} handle;

typedef handle ngtcp2_crypto_aead, ngtcp2_crypto_aead_ctx, ngtcp2_crypto_cipher, ngtcp2_crypto_cipher_ctx;

typedef struct {
    int (*encrypt)(uint8_t *dest, const ngtcp2_crypto_aead *aead, const ngtcp2_crypto_aead_ctx *aead_ctx,
                   const uint8_t *plaintext, size_t len, const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                   size_t aad_len);
    int (*decrypt)(uint8_t *dest, const ngtcp2_crypto_aead *aead, const ngtcp2_crypto_aead_ctx *aead_ctx,
                   const uint8_t *ciphertext, size_t len, const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                   size_t aad_len);
    int (*hp_mask)(uint8_t *dest, const ngtcp2_crypto_cipher *hp, const ngtcp2_crypto_cipher_ctx *hp_ctx,
                   const uint8_t *sample);
} ngtcp2_callbacks;

#endif

#define KEY_LEN 16

/* Header-protection key of one direction: `native_handle` of a cipher context. */
struct header_key {
    kasoku_quic *quic; /* only makes masks: any packet key will do */
    int has_mask;      /* whether a packet was sealed; the last one's sample and mask follow */
    uint8_t sample[SAMPLE_LEN], mask[MASK_LEN];
};

/* Packet key of one direction and key phase: `native_handle` of an AEAD context. */
struct packet_key {
    kasoku_gcm *gcm;           /* for received packets and Retry tags */
    kasoku_quic *quic;         /* for packets to send; otherwise NULL */
    struct header_key *header; /* gets the masks of packets to send */
    uint8_t iv[IV_LEN];
};

/*
 * Seals a packet of `header_len` + `len` bytes in place, and keeps its mask in the header key. The header stays
 * unmasked, as ngtcp2 expects.
 */
static int protect(const struct packet_key *key, uint64_t number, uint8_t *packet, size_t header_len, size_t len)
{
    size_t pn_len = (size_t)(packet[0] & 0x03) + 1, pn_offset = header_len - pn_len, i;
    uint8_t plain[MASK_LEN], *mask = key->header->mask;

    plain[0] = packet[0];
    memcpy(plain + 1, packet + pn_offset, pn_len);
    if (kasoku_quic_protect(key->quic, number, packet, pn_offset, pn_len, header_len + len) != KASOKU_OK)
        return NGTCP2_ERR_CALLBACK_FAILURE;
    mask[0] = packet[0] ^ plain[0];
    for (i = 0; i < pn_len; i++)
        mask[1 + i] = packet[pn_offset + i] ^ plain[1 + i];
    packet[0] = plain[0];
    memcpy(packet + pn_offset, plain + 1, pn_len);
    memcpy(key->header->sample, packet + pn_offset + 4, SAMPLE_LEN);
    key->header->has_mask = 1;
    return 0;
}

static int encrypt(uint8_t *dest, const ngtcp2_crypto_aead *aead, const ngtcp2_crypto_aead_ctx *aead_ctx,
                   const uint8_t *plaintext, size_t len, const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                   size_t aad_len)
{
    const struct packet_key *key = (const struct packet_key *)aead_ctx->native_handle;
    uint64_t number = 0;
    size_t i;

    (void)aead;
    if (key->quic != NULL && plaintext == dest && aad + aad_len == dest) {
        for (i = IV_LEN - 8; i < IV_LEN; i++)
            number = number << 8 | (nonce[i] ^ key->iv[i]);
        return protect(key, number, dest - aad_len, aad_len, len);
    }
    if (kasoku_gcm_seal(key->gcm, nonce, nonce_len, aad, aad_len, plaintext, len, dest, dest + len) != KASOKU_OK)
        return NGTCP2_ERR_CALLBACK_FAILURE;
    return 0;
}

static int decrypt(uint8_t *dest, const ngtcp2_crypto_aead *aead, const ngtcp2_crypto_aead_ctx *aead_ctx,
                   const uint8_t *ciphertext, size_t len, const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                   size_t aad_len)
{
    const struct packet_key *key = (const struct packet_key *)aead_ctx->native_handle;

    (void)aead;
    if (len < TAG_LEN)
        return NGTCP2_ERR_DECRYPT;
    len -= TAG_LEN;
    switch (kasoku_gcm_open(key->gcm, nonce, nonce_len, aad, aad_len, ciphertext, len, ciphertext + len, dest)) {
    case KASOKU_OK:
        return 0;
    case KASOKU_ERR_AUTHENTICATION:
        return NGTCP2_ERR_DECRYPT;
    default:
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }
}

static int hp_mask(uint8_t *dest, const ngtcp2_crypto_cipher *hp, const ngtcp2_crypto_cipher_ctx *hp_ctx,
                   const uint8_t *sample)
{
    const struct header_key *header = (const struct header_key *)hp_ctx->native_handle;

    (void)hp;
    if (header->has_mask && memcmp(sample, header->sample, SAMPLE_LEN) == 0) {
        memcpy(dest, header->mask, MASK_LEN);
        return 0;
    }
    return header_mask(header->quic, sample, dest) == KASOKU_OK ? 0 : NGTCP2_ERR_CALLBACK_FAILURE;
}

static const ngtcp2_callbacks callbacks = {
    .encrypt = encrypt,
    .decrypt = decrypt,
    .hp_mask = hp_mask,
};

/*
 * Creates a packet key without a header key: it seals and opens, but cannot compute the header-protection mask in the
 * same pass. Returns NULL on failure.
 */
static struct packet_key *new_packet_key(const uint8_t *key, const uint8_t *iv, struct header_key *header)
{
    struct packet_key *packet_key = (struct packet_key *)calloc(1, sizeof *packet_key);

    if (packet_key != NULL) {
        packet_key->gcm = kasoku_gcm_new(key, KEY_LEN);
        packet_key->header = header;
        memcpy(packet_key->iv, iv, IV_LEN);
    }
    return packet_key;
}

/* Makes the contexts of a direction, for ngtcp2_conn_install_tx_key() or ngtcp2_conn_install_rx_key(). */
static int install_keys(const uint8_t *key, const uint8_t *iv, const uint8_t *hp_key, int sends,
                        ngtcp2_crypto_aead_ctx *aead_ctx, ngtcp2_crypto_cipher_ctx *hp_ctx)
{
    struct header_key *header = (struct header_key *)calloc(1, sizeof *header);
    struct packet_key *packet_key = new_packet_key(key, iv, header);

    aead_ctx->native_handle = packet_key;
    hp_ctx->native_handle = header;
    if (packet_key == NULL || header == NULL)
        return NGTCP2_ERR_CALLBACK_FAILURE;
    header->quic = kasoku_quic_new(hp_key, KEY_LEN, iv, hp_key);
    if (sends)
        packet_key->quic = kasoku_quic_new(key, KEY_LEN, iv, hp_key);
    if (packet_key->gcm == NULL || header->quic == NULL || (sends && packet_key->quic == NULL))
        return NGTCP2_ERR_CALLBACK_FAILURE;
    return 0;
}

/* Makes the AEAD context of the next key phase: the body of `update_key`. The cipher context stays. */
static int next_phase(const ngtcp2_crypto_aead_ctx *current, const uint8_t *key, const uint8_t *iv,
                      ngtcp2_crypto_aead_ctx *aead_ctx)
{
    const struct packet_key *before = (const struct packet_key *)current->native_handle;
    struct packet_key *packet_key = new_packet_key(key, iv, before->header);

    aead_ctx->native_handle = packet_key;
    if (packet_key == NULL || packet_key->gcm == NULL)
        return NGTCP2_ERR_CALLBACK_FAILURE;
    if (before->quic != NULL &&
        kasoku_quic_next_phase(before->quic, key, KEY_LEN, iv, &packet_key->quic) != KASOKU_OK)
        return NGTCP2_ERR_CALLBACK_FAILURE;
    return 0;
}

/* The body of `delete_crypto_aead_ctx`. */
static void delete_aead_ctx(ngtcp2_crypto_aead_ctx *aead_ctx)
{
    struct packet_key *key = (struct packet_key *)aead_ctx->native_handle;

    kasoku_gcm_free(key->gcm);
    kasoku_quic_free(key->quic);
    free(key);
}

/* The body of `delete_crypto_cipher_ctx`. */
static void delete_cipher_ctx(ngtcp2_crypto_cipher_ctx *hp_ctx)
{
    struct header_key *header = (struct header_key *)hp_ctx->native_handle;

    kasoku_quic_free(header->quic);
    free(header);
}

/* The functions below do what ngtcp2 itself does in a real program. */

/* Removes or applies the mask of the packet's sample. Returns the length of the packet number. */
static size_t toggle_mask(const ngtcp2_crypto_cipher_ctx *hp_ctx, uint8_t *packet, size_t pn_offset, int is_masked)
{
    uint8_t mask[SAMPLE_LEN], first_byte = packet[0];
    size_t i, pn_len;

    if (callbacks.hp_mask(mask, NULL, hp_ctx, packet + pn_offset + 4) != 0)
        exit(2);
    packet[0] ^= mask[0] & ((first_byte & 0x80) != 0 ? 0x0f : 0x1f);
    pn_len = (size_t)((is_masked ? packet[0] : first_byte) & 0x03) + 1;
    for (i = 0; i < pn_len; i++)
        packet[pn_offset + i] ^= mask[1 + i];
    return pn_len;
}

struct direction {
    uint8_t iv[IV_LEN];
    ngtcp2_crypto_aead_ctx aead;
    ngtcp2_crypto_cipher_ctx hp;
};

/*
 * Protects the packet of `len` bytes at `plain` and opens it, then checks that a modified packet is rejected. Compares
 * the protected packet with `expected`, unless that is NULL.
 */
static int transfer(const char *name, const struct direction *sender, const struct direction *receiver,
                    uint64_t number, const uint8_t *plain, size_t header_len, size_t len, const uint8_t *expected)
{
    static uint8_t packet[1500], opened[1500];
    const size_t pn_offset = header_len - (plain[0] & 0x03) - 1, payload_len = len - header_len;
    uint8_t nonce[IV_LEN], *payload = packet + header_len;
    int right;

    memcpy(packet, plain, len);
    make_nonce(sender->iv, number, nonce);
    right = check(callbacks.encrypt(payload, NULL, &sender->aead, payload, payload_len, nonce, IV_LEN, packet,
                                    header_len) == 0 &&
                      memcmp(packet, plain, header_len) == 0,
                  name, "not sealed, or the header was changed");
    toggle_mask(&sender->hp, packet, pn_offset, 0);
    right &= check(expected == NULL || memcmp(packet, expected, len + TAG_LEN) == 0, name,
                   "protected to something else");

    right &= check(pn_offset + toggle_mask(&receiver->hp, packet, pn_offset, 1) == header_len &&
                       memcmp(packet, plain, header_len) == 0,
                   name, "unmasked to something else");
    make_nonce(receiver->iv, number, nonce);
    right &= check(callbacks.decrypt(opened, NULL, &receiver->aead, payload, payload_len + TAG_LEN, nonce, IV_LEN,
                                     packet, header_len) == 0 &&
                       memcmp(opened, plain + header_len, payload_len) == 0,
                   name, "opened to something else");
    packet[len / 2] ^= 1;
    right &= check(callbacks.decrypt(opened, NULL, &receiver->aead, payload, payload_len + TAG_LEN, nonce, IV_LEN,
                                     packet, header_len) == NGTCP2_ERR_DECRYPT,
                   name, "accepted although modified");
    return right;
}

/*
 * Protects and opens a packet of RFC 9001 Appendix A, and packets with short headers: with each length of packet
 * numbers, before and after a key update.
 */
static int try_connection(const struct published *published)
{
    static uint8_t plain[1500], expected[1500];
    uint8_t key[KEY_LEN], hp_key[KEY_LEN];
    size_t len = from_hex(published->packet, expected) - TAG_LEN, header_len = from_hex(published->header, plain), i;
    struct direction sender, receiver;
    int right;

    memset(plain + header_len, 0, sizeof plain - header_len);
    from_hex(published->payload, plain + header_len);
    from_hex(published->key, key);
    from_hex(published->hp_key, hp_key);
    from_hex(published->iv, sender.iv);
    memcpy(receiver.iv, sender.iv, IV_LEN);
    if (install_keys(key, sender.iv, hp_key, 1, &sender.aead, &sender.hp) != 0 ||
        install_keys(key, receiver.iv, hp_key, 0, &receiver.aead, &receiver.hp) != 0)
        return check(0, published->name, "no keys");
    right = transfer(published->name, &sender, &receiver, published->number, plain, header_len, len, expected);

    for (i = 0; i < 32; i++) {
        const size_t pn_len = i % 4 + 1;
        uint8_t packet[64] = {0};

        if (i == 16) {
            ngtcp2_crypto_aead_ctx before[2];

            before[0] = sender.aead;
            before[1] = receiver.aead;
            key[0] ^= 1;
            sender.iv[0] ^= 1;
            receiver.iv[0] ^= 1;
            if (next_phase(&before[0], key, sender.iv, &sender.aead) != 0 ||
                next_phase(&before[1], key, receiver.iv, &receiver.aead) != 0)
                return check(0, published->name, "no keys of the next phase");
            delete_aead_ctx(&before[0]);
            delete_aead_ctx(&before[1]);
        }
        packet[0] = (uint8_t)(0x40 | (i >= 16) << 2 | (pn_len - 1)); /* short header, key phase */
        packet[8 + pn_len] = (uint8_t)(10 + i);
        right &= transfer("a short packet", &sender, &receiver, 10 + i, packet, 9 + pn_len, 20 + i, NULL);
    }
    delete_aead_ctx(&sender.aead);
    delete_aead_ctx(&receiver.aead);
    delete_cipher_ctx(&sender.hp);
    delete_cipher_ctx(&receiver.hp);
    if (right)
        printf("%s: %d bytes, and 32 short packets\n", published->name, (int)(len + TAG_LEN));
    return right;
}

/* Makes the tag of the Retry packet in RFC 9001 A.4, over the original connection ID and the packet. */
static int try_retry(void)
{
    uint8_t key[KEY_LEN], nonce[IV_LEN], no_hp_key[KEY_LEN] = {0}, aad[64], expected[TAG_LEN], tag[TAG_LEN];
    size_t aad_len = from_hex("088394c8f03e515708ff000000010008f067a5502a4262b5746f6b656e", aad);
    ngtcp2_crypto_aead_ctx aead;
    ngtcp2_crypto_cipher_ctx hp;
    int right;

    from_hex("be0c690b9f66575a1d766b54e368c84e", key);
    from_hex("461599d35d632bf2239825bb", nonce);
    from_hex("04a265ba2eff4d829058fb3f0f2496ba", expected);
    if (install_keys(key, nonce, no_hp_key, 0, &aead, &hp) != 0)
        return check(0, "RFC 9001 A.4", "no keys");
    right = callbacks.encrypt(tag, NULL, &aead, (const uint8_t *)"", 0, nonce, IV_LEN, aad, aad_len) == 0 &&
            memcmp(tag, expected, TAG_LEN) == 0;
    delete_aead_ctx(&aead);
    delete_cipher_ctx(&hp);
    return check(right, "RFC 9001 A.4, Retry", "another tag");
}

int main(void)
{
    return try_connection(&published_packets[0]) & try_connection(&published_packets[1]) & try_retry() ? 0 : 1;
}
