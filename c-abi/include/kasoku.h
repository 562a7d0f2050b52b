/*
 * Kasoku: AES-GCM and QUIC packet protection at the limit of the CPU they run on.
 *
 * Link with -lkasoku (pkg-config: kasoku). docs/C.md shows how; examples/seal.c and examples/quic.c are
 * whole programs.
 *
 * Rules for every call:
 *   - It returns KASOKU_OK (0) or one of KASOKU_ERR_... (negative) unless it says otherwise; kasoku_strerror() says it
 *     in words. Look at every result: after an error nothing that was written may be used.
 *   - The errors it can return stand with each call. Beside them there is KASOKU_ERR_INTERNAL, a bug in Kasoku that was
 *     caught: `out` of a call that opens and a packet of any call are then all zeros.
 *   - NULL is allowed where the length beside it is 0, and is an error otherwise, never a crash.
 *   - What is written overlaps nothing else that the call is given; only `out` may be `in` itself, in place. Packets
 *     are changed in place.
 *   - Lengths past the limits of AES-GCM (NIST SP 800-38D) are refused before any memory is touched.
 *   - A key or kasoku_quic is used by as many threads as you like at the same time, except by the two calls that say
 *     otherwise; a streamed message by one at a time.
 *   - If memory runs out, the program is ended, as Rust does it.
 *
 * This file is generated from the sources of the library: do not edit it.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */

#ifndef KASOKU_H
#define KASOKU_H

#include <stddef.h>
#include <stdint.h>

/**
 * Done.
 */
#define KASOKU_OK 0

/**
 * A pointer is NULL where data has to be read or written.
 */
#define KASOKU_ERR_NULL -1

/**
 * The key does not have 16, 24 or 32 bytes; for QUIC 16 or 32, the same in every key phase.
 */
#define KASOKU_ERR_KEY_LENGTH -2

/**
 * The nonce has no bytes, or more than 2^61 - 1; for XAES-256-GCM not 24.
 */
#define KASOKU_ERR_NONCE_LENGTH -3

/**
 * More than 2^61 - 1 bytes of AAD (for AES-GCM-SIV 2^36), or more than an address space holds.
 */
#define KASOKU_ERR_AAD_TOO_LONG -4

/**
 * More than 2^36 - 32 bytes of plaintext under one nonce, or in one packet, or more than an address space holds.
 */
#define KASOKU_ERR_MESSAGE_TOO_LONG -5

/**
 * An output overlaps another buffer; only `out` may be `in`, exactly.
 */
#define KASOKU_ERR_OVERLAP -6

/**
 * Authentication failed: the tag is not that of this message or packet.
 */
#define KASOKU_ERR_AUTHENTICATION -7

/**
 * Unknown backend, as an argument or in KASOKU_BACKEND, or unknown schedule in KASOKU_SCHEDULE.
 */
#define KASOKU_ERR_BACKEND_UNKNOWN -8

/**
 * This CPU cannot run the named backend, or the backend has no such schedule.
 */
#define KASOKU_ERR_BACKEND_UNAVAILABLE -9

/**
 * AAD came after plaintext or ciphertext: the mode takes all AAD first.
 */
#define KASOKU_ERR_AAD_TOO_LATE -10

/**
 * The streamed message is finished; nothing can be added to it.
 */
#define KASOKU_ERR_FINISHED -11

/**
 * A bug in Kasoku was caught; please report it. Any call can return it. Nothing that was written may be used; a
 * streamed message is finished.
 */
#define KASOKU_ERR_INTERNAL -12

/**
 * The packet is too short to be sampled: with its tag it ends less than 20 bytes behind the beginning of the packet
 * number. A sender pads the payload.
 */
#define KASOKU_ERR_PACKET_TOO_SHORT -13

/**
 * A packet number has 1 to 4 bytes.
 */
#define KASOKU_ERR_PACKET_NUMBER_LENGTH -14

/**
 * The packet number cannot be the first byte of the packet.
 */
#define KASOKU_ERR_PACKET_NUMBER_OFFSET -15

/**
 * The packet number is 2^62 or more; of a received packet, the one nearest to the expected number.
 */
#define KASOKU_ERR_PACKET_NUMBER_TOO_LARGE -16

/**
 * The packet number lies below the first one protected under this key.
 */
#define KASOKU_ERR_PACKET_NUMBER_FELL -17

/**
 * The key has protected 2^23 packets, its confidentiality limit: update the key.
 */
#define KASOKU_ERR_CONFIDENTIALITY_LIMIT -18

/**
 * 2^52 packets failed to open, the connection's integrity limit: close it.
 */
#define KASOKU_ERR_INTEGRITY_LIMIT -19

/**
 * Unsupported QUIC version.
 */
#define KASOKU_ERR_QUIC_VERSION -20

/**
 * Neither KASOKU_QUIC_CLIENT nor KASOKU_QUIC_SERVER.
 */
#define KASOKU_ERR_QUIC_SENDER -21

/**
 * A connection ID of more than 20 bytes.
 */
#define KASOKU_ERR_CONNECTION_ID_LENGTH -22

/**
 * QUIC version 1 (RFC 9000).
 */
#define KASOKU_QUIC_V1 1

/**
 * QUIC version 2 (RFC 9369): 0x6b3343cf.
 */
#define KASOKU_QUIC_V2 1798521807

/**
 * Packets that the client sends.
 */
#define KASOKU_QUIC_CLIENT 0

/**
 * Packets that the server sends.
 */
#define KASOKU_QUIC_SERVER 1

/**
 * An AES-GCM key, expanded once. Several threads may use it at the same time.
 */
typedef struct kasoku_gcm kasoku_gcm;

/**
 * A message that is being opened in parts. One thread at a time may use it.
 */
typedef struct kasoku_gcm_opening kasoku_gcm_opening;

/**
 * A message that is being sealed in parts. One thread at a time may use it.
 */
typedef struct kasoku_gcm_sealing kasoku_gcm_sealing;

/**
 * What protects the packets of one direction in one key phase (RFC 9001): the packet key, the IV, and the
 * header-protection key, which key updates leave as it is. Several threads may use it at the same time.
 */
typedef struct kasoku_quic kasoku_quic;

/**
 * An AES-GCM-SIV key. Several threads may use it at the same time.
 */
typedef struct kasoku_siv kasoku_siv;

/**
 * An XAES-256-GCM key. Several threads may use it at the same time.
 */
typedef struct kasoku_xaes kasoku_xaes;

/**
 * A part of a message or of AAD.
 */
typedef struct {
  /**
   * The first byte. NULL is allowed where the length is 0.
   */
  const uint8_t *data;
  /**
   * Bytes.
   */
  size_t len;
} kasoku_slice;

/**
 * A packet of a batch.
 */
typedef struct {
  /**
   * The packet number: given to protect and to open; written where the mask is taken off.
   */
  uint64_t packet_number;
  /**
   * The first byte of the header.
   */
  uint8_t *packet;
  /**
   * Where the packet number begins.
   */
  size_t pn_offset;
  /**
   * Its bytes, 1 to 4: given to protect and to open; written where the mask is taken off.
   */
  size_t pn_len;
  /**
   * Bytes of the packet: to protect it, WITHOUT the 16 bytes that must follow for the tag; to receive it, with its
   * tag.
   */
  size_t packet_len;
  /**
   * What became of the packet: KASOKU_OK, or one of KASOKU_ERR_...
   */
  int result;
} kasoku_quic_packet;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * What a number returned by this library means, in English. Never NULL, never to be freed.
 */
const char *kasoku_strerror(int code);

/**
 * Expands a key of 16, 24 or 32 bytes for the fastest backend of this CPU, or for the one that the environment
 * variable KASOKU_BACKEND names (portable, aesni, vaes256, vaes512, neon, aes-pmull, aes-eor3); in the schedule that
 * is fastest here, or in the one that KASOKU_SCHEDULE names (karatsuba; for vaes512 also schoolbook, which is the one
 * of aes-eor3). Both are meant for tests and measurements. They are read once, when the first key is made, and not at
 * all in programs with more rights than their user.
 *
 * Returns NULL if the length is another one, `key` is NULL, or a variable names a backend or a schedule that does not
 * exist or cannot be had here: never another one instead. kasoku_gcm_create() says which.
 *
 * `key` can be wiped afterwards. The result is freed with kasoku_gcm_free().
 */
kasoku_gcm *kasoku_gcm_new(const uint8_t *key, size_t key_len);

/**
 * As kasoku_gcm_new(), but says why there is no key, and uses the backend named by `backend` whatever the environment
 * says. With `backend` NULL it chooses as kasoku_gcm_new() does.
 *
 * Stores the key in `*gcm`, or NULL if there is an error.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH, KASOKU_ERR_BACKEND_UNKNOWN or
 * KASOKU_ERR_BACKEND_UNAVAILABLE.
 */
int kasoku_gcm_create(const uint8_t *key, size_t key_len, const char *backend, kasoku_gcm **gcm);

/**
 * Wipes the key and frees it; NULL is nothing to free. A streamed message that is still under way keeps the key until
 * it is freed itself.
 */
void kasoku_gcm_free(kasoku_gcm *gcm);

/**
 * Seals a message: encrypts `len` bytes from `in` to `out`, and makes the tag that proves them and the AAD genuine.
 *
 * `in` and `out` may be the same buffer; any other overlap of what is written (`out`, `tag`) with anything else is
 * refused. NULL is allowed where a length is 0. A nonce of 12 bytes is fastest and safest. A nonce must never be used
 * twice under one key: doing so reveals both plaintexts and lets anybody forge messages.
 *
 * Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG
 * or KASOKU_ERR_OVERLAP with nothing written.
 */
int kasoku_gcm_seal(const kasoku_gcm *gcm,
                    const uint8_t *nonce,
                    size_t nonce_len,
                    const uint8_t *aad,
                    size_t aad_len,
                    const uint8_t *in,
                    size_t len,
                    uint8_t *out,
                    uint8_t tag[16]);

/**
 * Opens a message: checks the tag over `len` bytes at `in` and the AAD, and decrypts to `out`.
 *
 * `in` and `out` may be the same buffer; any other overlap of `out` with anything else is refused. NULL is allowed
 * where a length is 0.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros in all of `out`; or KASOKU_ERR_NULL,
 * KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing
 * written.
 */
int kasoku_gcm_open(const kasoku_gcm *gcm,
                    const uint8_t *nonce,
                    size_t nonce_len,
                    const uint8_t *aad,
                    size_t aad_len,
                    const uint8_t *in,
                    size_t len,
                    const uint8_t tag[16],
                    uint8_t *out);

/**
 * Seals one message under a key that is used for nothing else: as kasoku_gcm_new(), kasoku_gcm_seal() and
 * kasoku_gcm_free(), but faster. The key is expanded on the stack, with no more than the message needs, and wiped.
 * (The backends portable and neon, and nonces of other than 12 bytes, take a key on the heap instead.)
 *
 * `key` has 16, 24 or 32 bytes. The rules of kasoku_gcm_seal() hold for everything else; what is written may not
 * overlap the key either.
 *
 * Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG,
 * KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_OVERLAP, or what kasoku_gcm_create() says of the environment's variables,
 * with nothing written.
 */
int kasoku_gcm_seal_once(const uint8_t *key,
                         size_t key_len,
                         const uint8_t *nonce,
                         size_t nonce_len,
                         const uint8_t *aad,
                         size_t aad_len,
                         const uint8_t *in,
                         size_t len,
                         uint8_t *out,
                         uint8_t tag[16]);

/**
 * Opens one message under a key that is used for nothing else, as kasoku_gcm_seal_once() seals it.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros in all of `out`; or KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH,
 * KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_OVERLAP, or what
 * kasoku_gcm_create() says of the environment's variables, with nothing written.
 */
int kasoku_gcm_open_once(const uint8_t *key,
                         size_t key_len,
                         const uint8_t *nonce,
                         size_t nonce_len,
                         const uint8_t *aad,
                         size_t aad_len,
                         const uint8_t *in,
                         size_t len,
                         const uint8_t tag[16],
                         uint8_t *out);

/**
 * The name of the backend that does the work: portable, aesni, vaes256, vaes512, neon, aes-pmull or aes-eor3. NULL for
 * NULL. Never to be freed.
 */
const char *kasoku_gcm_backend(const kasoku_gcm *gcm);

/**
 * Expands a packet key and a header-protection key, both of `key_len` bytes, 16 or 32, for the fastest backend of this
 * CPU, or for the one that the environment variable KASOKU_BACKEND names, as kasoku_gcm_new() does.
 *
 * Returns NULL if the length is another one, a pointer is NULL, or KASOKU_BACKEND names a backend that does not exist
 * or that this CPU cannot run: never another backend instead. kasoku_quic_create() says which.
 *
 * The keys can be wiped afterwards. The result is freed with kasoku_quic_free().
 */
kasoku_quic *kasoku_quic_new(const uint8_t *key, size_t key_len, const uint8_t iv[12], const uint8_t *hp_key);

/**
 * As kasoku_quic_new(), but says why there is no object, and uses the backend named by `backend` whatever the
 * environment says. With `backend` NULL it chooses as kasoku_quic_new() does.
 *
 * Stores the object in `*quic`, or NULL if there is an error.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH, KASOKU_ERR_BACKEND_UNKNOWN or
 * KASOKU_ERR_BACKEND_UNAVAILABLE.
 */
int kasoku_quic_create(const uint8_t *key,
                       size_t key_len,
                       const uint8_t iv[12],
                       const uint8_t *hp_key,
                       const char *backend,
                       kasoku_quic **quic);

/**
 * Makes the keys of Initial packets (RFC 9001 section 5.2, RFC 9369) that `sender`, KASOKU_QUIC_CLIENT or
 * KASOKU_QUIC_SERVER, protects, from the destination connection ID of the client's first packet, of at most 20 bytes;
 * after a Retry packet, from the ID that the server chose. `version` is KASOKU_QUIC_V1 or KASOKU_QUIC_V2; `backend` as
 * for kasoku_quic_create().
 *
 * Stores the object in `*quic`, or NULL if there is an error.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_QUIC_VERSION, KASOKU_ERR_QUIC_SENDER,
 * KASOKU_ERR_CONNECTION_ID_LENGTH, KASOKU_ERR_BACKEND_UNKNOWN or KASOKU_ERR_BACKEND_UNAVAILABLE.
 */
int kasoku_quic_initial(uint32_t version,
                        int sender,
                        const uint8_t *connection_id,
                        size_t connection_id_len,
                        const char *backend,
                        kasoku_quic **quic);

/**
 * Makes the object of the next key phase (RFC 9001 section 6) with another packet key, of the same length, and IV:
 * under the same header-protection key, on the same backend, and counting failed packets in the same count. `quic`
 * stays as it is, for packets that are late.
 *
 * Stores the object in `*next`, or NULL if there is an error. `next` must not be where the only pointer to `quic` is
 * kept.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, or KASOKU_ERR_KEY_LENGTH if the key is not as long as that of `quic`.
 */
int kasoku_quic_next_phase(const kasoku_quic *quic,
                           const uint8_t *key,
                           size_t key_len,
                           const uint8_t iv[12],
                           kasoku_quic **next);

/**
 * Wipes the keys and frees them; NULL is nothing to free. Objects made of this one by kasoku_quic_next_phase() stay.
 */
void kasoku_quic_free(kasoku_quic *quic);

/**
 * Says the first packet number that will be protected under this key: 2^23 numbers are from there on. Otherwise it is
 * the number of the first packet that is protected, which is right unless several threads protect packets out of
 * order.
 *
 * To be called before `quic` protects its first packet, and while no other thread uses it.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL or KASOKU_ERR_PACKET_NUMBER_TOO_LARGE.
 */
int kasoku_quic_begin_at(kasoku_quic *quic, uint64_t first_packet_number);

/**
 * Makes `quic` count its failed packets in the count of `with`, which outlives either. RFC 9001 section 6.6 limits
 * their number over all keys of a connection, so all objects that open its packets should share one count: those of
 * Initial, Handshake, 0-RTT and 1-RTT packets. kasoku_quic_next_phase() does so by itself. What `quic` has counted
 * alone is forgotten.
 *
 * To be called before `quic` opens its first packet, and while no other thread uses it.
 *
 * Returns KASOKU_OK or KASOKU_ERR_NULL.
 */
int kasoku_quic_share_failed_opens(kasoku_quic *quic, const kasoku_quic *with);

/**
 * How many packets failed to open, under this key and those that share its count. 0 for NULL.
 */
uint64_t kasoku_quic_failed_opens(const kasoku_quic *quic);

/**
 * The name of the backend that does the work: portable, aesni, vaes256, vaes512, neon, aes-pmull or aes-eor3. NULL for
 * NULL. Never to be freed.
 */
const char *kasoku_quic_backend(const kasoku_quic *quic);

/**
 * Expands a key of 16 or 32 bytes for AES-GCM-SIV (RFC 8452): where a nonce is used twice, no more is given away than
 * whether the messages are equal. The backend is chosen as kasoku_gcm_new() chooses it.
 *
 * Returns NULL if the key has another length or `key` is NULL, or where kasoku_gcm_new() does for the environment's
 * sake. kasoku_siv_create() says which.
 *
 * `key` can be wiped afterwards. The result is freed with kasoku_siv_free().
 */
kasoku_siv *kasoku_siv_new(const uint8_t key[], size_t key_len);

/**
 * As kasoku_siv_new(), but says why there is no key, and uses the backend named by `backend` whatever the environment
 * says. With `backend` NULL it chooses as kasoku_siv_new() does.
 *
 * Stores the key in `*siv`, or NULL if there is an error.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH (not 16 or 32), KASOKU_ERR_BACKEND_UNKNOWN or
 * KASOKU_ERR_BACKEND_UNAVAILABLE.
 */
int kasoku_siv_create(const uint8_t *key, size_t key_len, const char *backend, kasoku_siv **siv);

/**
 * Wipes the key and frees it; NULL is nothing to free.
 */
void kasoku_siv_free(kasoku_siv *siv);

/**
 * As kasoku_gcm_seal(), with a nonce of 12 bytes. Each message has keys of its own, and is gone over twice.
 *
 * Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH (not 12), KASOKU_ERR_AAD_TOO_LONG,
 * KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
 */
int kasoku_siv_seal(const kasoku_siv *siv,
                    const uint8_t *nonce,
                    size_t nonce_len,
                    const uint8_t *aad,
                    size_t aad_len,
                    const uint8_t *in,
                    size_t len,
                    uint8_t *out,
                    uint8_t tag[16]);

/**
 * As kasoku_gcm_open(), with a nonce of 12 bytes.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros in all of `out`; or KASOKU_ERR_NULL,
 * KASOKU_ERR_NONCE_LENGTH (not 12), KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with
 * nothing written.
 */
int kasoku_siv_open(const kasoku_siv *siv,
                    const uint8_t *nonce,
                    size_t nonce_len,
                    const uint8_t *aad,
                    size_t aad_len,
                    const uint8_t *in,
                    size_t len,
                    const uint8_t tag[16],
                    uint8_t *out);

/**
 * Begins to seal a message in parts: kasoku_gcm_sealing_aad() any number of times, then kasoku_gcm_sealing_update()
 * any number of times, then kasoku_gcm_sealing_finish(), then kasoku_gcm_sealing_free(). What comes out is the same as
 * from kasoku_gcm_seal(), however the message is cut. The key may be freed meanwhile.
 *
 * Returns NULL if `gcm` or `nonce` is NULL, or `nonce_len` is 0 or more than 2^61 - 1.
 */
kasoku_gcm_sealing *kasoku_gcm_sealing_new(const kasoku_gcm *gcm, const uint8_t *nonce, size_t nonce_len);

/**
 * Takes a part of the AAD, all of which must come before the message.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_AAD_TOO_LATE or KASOKU_ERR_FINISHED; after
 * an error the message is as it was.
 */
int kasoku_gcm_sealing_aad(kasoku_gcm_sealing *sealing, const uint8_t *aad, size_t aad_len);

/**
 * Seals the next `len` bytes of the message from `in` to `out`, which may be the same buffer or lie apart from it.
 *
 * Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_MESSAGE_TOO_LONG (all parts together), KASOKU_ERR_OVERLAP or
 * KASOKU_ERR_FINISHED with nothing written and the message as it was.
 */
int kasoku_gcm_sealing_update(kasoku_gcm_sealing *sealing, const uint8_t *in, size_t len, uint8_t *out);

/**
 * Ends the message and writes its tag.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL or KASOKU_ERR_FINISHED with nothing written. With `tag` NULL the message goes
 * on.
 */
int kasoku_gcm_sealing_finish(kasoku_gcm_sealing *sealing, uint8_t tag[16]);

/**
 * Wipes the message's state and frees it, finished or not; NULL is nothing to free.
 */
void kasoku_gcm_sealing_free(kasoku_gcm_sealing *sealing);

/**
 * Begins to open a message in parts, with calls like those for sealing.
 *
 * What kasoku_gcm_opening_update() writes is NOT VERIFIED until kasoku_gcm_opening_finish() returns KASOKU_OK: do
 * nothing with it before, and throw it all away otherwise. Where the whole message fits into memory use
 * kasoku_gcm_open(), which writes nothing of a forgery.
 *
 * Returns NULL if `gcm` or `nonce` is NULL, or `nonce_len` is 0 or more than 2^61 - 1.
 */
kasoku_gcm_opening *kasoku_gcm_opening_new(const kasoku_gcm *gcm, const uint8_t *nonce, size_t nonce_len);

/**
 * Takes a part of the AAD, all of which must come before the message.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_AAD_TOO_LATE or KASOKU_ERR_FINISHED; after
 * an error the message is as it was.
 */
int kasoku_gcm_opening_aad(kasoku_gcm_opening *opening, const uint8_t *aad, size_t aad_len);

/**
 * Opens the next `len` bytes of the message from `in` to `out`, which may be the same buffer or lie apart from it.
 * They are NOT VERIFIED until kasoku_gcm_opening_finish() says so.
 *
 * Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_MESSAGE_TOO_LONG (all parts together), KASOKU_ERR_OVERLAP or
 * KASOKU_ERR_FINISHED with nothing written and the message as it was.
 */
int kasoku_gcm_opening_update(kasoku_gcm_opening *opening, const uint8_t *in, size_t len, uint8_t *out);

/**
 * Ends the message and verifies it against its tag.
 *
 * Returns KASOKU_OK: everything that the updates gave is genuine. KASOKU_ERR_AUTHENTICATION: throw all of it away.
 * KASOKU_ERR_NULL, KASOKU_ERR_FINISHED: nothing was verified. With `tag` NULL the message goes on.
 */
int kasoku_gcm_opening_finish(kasoku_gcm_opening *opening, const uint8_t tag[16]);

/**
 * Wipes the message's state and frees it, finished or not; NULL is nothing to free.
 */
void kasoku_gcm_opening_free(kasoku_gcm_opening *opening);

/**
 * Seals a message that lies in `in_count` slices, with AAD in `aad_count`: the same message, and the same tag, as
 * kasoku_gcm_seal() makes of the slices put together. `out` takes as many bytes as all slices of `in` have.
 *
 * The slices may have any lengths, also 0, and lie anywhere; but `out` and `tag` overlap none of them, nor the arrays.
 * NULL is allowed for an array of 0 slices.
 *
 * Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG
 * or KASOKU_ERR_OVERLAP with nothing written.
 */
int kasoku_gcm_seal_vectored(const kasoku_gcm *gcm,
                             const uint8_t *nonce,
                             size_t nonce_len,
                             const kasoku_slice *aad,
                             size_t aad_count,
                             const kasoku_slice *in,
                             size_t in_count,
                             uint8_t *out,
                             uint8_t tag[16]);

/**
 * Opens a message that lies in `in_count` slices, with AAD in `aad_count`: as kasoku_gcm_open() does with the slices
 * put together. `out` takes as many bytes as all slices of `in` have; it overlaps none of them, nor the arrays.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros in all of `out`; or KASOKU_ERR_NULL,
 * KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing
 * written.
 */
int kasoku_gcm_open_vectored(const kasoku_gcm *gcm,
                             const uint8_t *nonce,
                             size_t nonce_len,
                             const kasoku_slice *aad,
                             size_t aad_count,
                             const kasoku_slice *in,
                             size_t in_count,
                             const uint8_t tag[16],
                             uint8_t *out);

/**
 * Expands a key of 32 bytes for XAES-256-GCM (https://c2sp.org/XAES-256-GCM), whose nonces of 24 bytes are long
 * enough to be drawn at random: 2^80 messages repeat one with a probability of 2^-32. The backend is chosen as
 * kasoku_gcm_new() chooses it.
 *
 * Returns NULL if `key` is NULL, or where kasoku_gcm_new() does for the environment's sake. kasoku_xaes_create() says
 * which.
 *
 * `key` can be wiped afterwards. The result is freed with kasoku_xaes_free().
 */
kasoku_xaes *kasoku_xaes_new(const uint8_t key[32]);

/**
 * As kasoku_xaes_new(), but says why there is no key, and uses the backend named by `backend` whatever the environment
 * says. With `backend` NULL it chooses as kasoku_xaes_new() does.
 *
 * Stores the key in `*xaes`, or NULL if there is an error.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_BACKEND_UNKNOWN or KASOKU_ERR_BACKEND_UNAVAILABLE.
 */
int kasoku_xaes_create(const uint8_t key[32], const char *backend, kasoku_xaes **xaes);

/**
 * Wipes the key and frees it; NULL is nothing to free.
 */
void kasoku_xaes_free(kasoku_xaes *xaes);

/**
 * As kasoku_gcm_seal(), with a nonce of 24 bytes: best drawn from the system's random generator for every message.
 * Each message's own AES-256-GCM key costs 35 to 200 ns with vaes512, up to 330 with aesni (Granite Rapids).
 *
 * Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH (not 24), KASOKU_ERR_AAD_TOO_LONG,
 * KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
 */
int kasoku_xaes_seal(const kasoku_xaes *xaes,
                     const uint8_t *nonce,
                     size_t nonce_len,
                     const uint8_t *aad,
                     size_t aad_len,
                     const uint8_t *in,
                     size_t len,
                     uint8_t *out,
                     uint8_t tag[16]);

/**
 * As kasoku_gcm_open(), with a nonce of 24 bytes.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros in all of `out`; or KASOKU_ERR_NULL,
 * KASOKU_ERR_NONCE_LENGTH (not 24), KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with
 * nothing written.
 */
int kasoku_xaes_open(const kasoku_xaes *xaes,
                     const uint8_t *nonce,
                     size_t nonce_len,
                     const uint8_t *aad,
                     size_t aad_len,
                     const uint8_t *in,
                     size_t len,
                     const uint8_t tag[16],
                     uint8_t *out);

/**
 * Protects a packet in place: encrypts the payload, appends the tag, masks the header.
 *
 * `packet` is the header, with the packet number in its last `pn_len` bytes, from `pn_offset` on, as the caller wrote
 * it; then the payload; then room for the tag. `packet_len` counts header and payload and NOT the tag: the buffer must
 * have 16 bytes more, and `packet_len` + 16 bytes are to be sent. (Where packets are received, `packet_len` counts the
 * tag.)
 *
 * The bytes of packet number and payload must be at least four together, or the receiver could not take off the mask:
 * a shorter payload is padded. A packet number must never be used twice under one key.
 *
 * Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
 * KASOKU_ERR_PACKET_NUMBER_LENGTH, KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE,
 * KASOKU_ERR_PACKET_NUMBER_FELL or KASOKU_ERR_CONFIDENTIALITY_LIMIT with the packet as it was: in the clear, not to be
 * sent.
 */
int kasoku_quic_protect(const kasoku_quic *quic,
                        uint64_t packet_number,
                        uint8_t *packet,
                        size_t pn_offset,
                        size_t pn_len,
                        size_t packet_len);

/**
 * Takes the mask off the header of a packet that was received, and decodes its packet number against
 * `expected_packet_number`, the largest one received so far and one. Then the key phase bit of a short header can be
 * read (0x04 of the first byte), and kasoku_quic_open() called on the object of that phase: the mask is the same in
 * all of them. Nothing is verified yet: what the header says may be forged.
 *
 * `packet_len` is the whole packet with its tag. The header behind the mask ends at `pn_offset` + `*pn_len`, 1 to 4.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
 * KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or
 * more) or KASOKU_ERR_OVERLAP (of the packet with where the numbers go) with nothing written and the packet as it was.
 */
int kasoku_quic_unmask(const kasoku_quic *quic,
                       uint64_t expected_packet_number,
                       uint8_t *packet,
                       size_t pn_offset,
                       size_t packet_len,
                       uint64_t *packet_number,
                       size_t *pn_len);

/**
 * Verifies a packet whose header kasoku_quic_unmask() has uncovered, and opens it in place: the payload begins at
 * `pn_offset` + `pn_len` and has `packet_len` - `pn_offset` - `pn_len` - 16 bytes. `packet_len` is the whole packet
 * with its tag.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros where the payload was; or KASOKU_ERR_NULL,
 * KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_LENGTH,
 * KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE or KASOKU_ERR_INTEGRITY_LIMIT with the packet as
 * it was.
 */
int kasoku_quic_open(const kasoku_quic *quic,
                     uint64_t packet_number,
                     uint8_t *packet,
                     size_t pn_offset,
                     size_t pn_len,
                     size_t packet_len);

/**
 * Both steps in one, for packets whose key phase is known: takes the mask off the header, decodes the packet number
 * against `expected_packet_number`, the largest one received so far and one, verifies the packet and opens it in
 * place. `packet_len` is the whole packet with its tag; the payload is `*payload_len` bytes from `*payload_offset` on.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with the mask taken off and zeros where the payload was; or
 * KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_OFFSET,
 * KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or more), KASOKU_ERR_INTEGRITY_LIMIT or
 * KASOKU_ERR_OVERLAP (of the packet with where the numbers go) with the packet as it was. Only KASOKU_OK writes the
 * three numbers.
 */
int kasoku_quic_unprotect(const kasoku_quic *quic,
                          uint64_t expected_packet_number,
                          uint8_t *packet,
                          size_t pn_offset,
                          size_t packet_len,
                          uint64_t *packet_number,
                          size_t *payload_offset,
                          size_t *payload_len);

/**
 * Returns the fewest bytes, 1 to 4, that let the receiver decode `packet_number`, given the largest packet number that
 * it has acknowledged, or UINT64_MAX if it has acknowledged none (RFC 9000 A.2). Returns 1 for a packet number that is
 * not above the largest acknowledged one, and so not that of a new packet.
 *
 * Returns 0 if four bytes are not enough, because more than 2^31 packets are unacknowledged, and for a packet number
 * of 2^62 or more, which no packet has.
 */
size_t kasoku_quic_number_bytes(uint64_t packet_number, uint64_t largest_acknowledged);

/**
 * Protects `count` packets, each as kasoku_quic_protect() does; many short ones are faster together. Each one's
 * `packet_number`, `packet`, `pn_offset`, `pn_len` and `packet_len` are given (`packet_len` WITHOUT the tag, for which
 * 16 bytes must follow); `result` says what became of it. One that fails leaves the others right. The numbers may have
 * any order and gaps.
 *
 * `result` is KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
 * KASOKU_ERR_PACKET_NUMBER_LENGTH, KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE,
 * KASOKU_ERR_PACKET_NUMBER_FELL, KASOKU_ERR_CONFIDENTIALITY_LIMIT or KASOKU_ERR_OVERLAP with the packet as it was: in
 * the clear, not to be sent.
 *
 * The packets must lie apart from each other and from the array `packets`. They are taken 64 at a time; packets that
 * overlap others of the same 64, or the array, are refused with KASOKU_ERR_OVERLAP. Overlaps further apart are not
 * looked for: such packets are handled one after the other, and so destroyed, but nothing else is. Packets whose
 * addresses rise, as they do in a GSO buffer, are checked fastest.
 *
 * Returns how many succeeded. 0 with nothing written if `packets` is NULL, not aligned, or longer than any memory.
 */
size_t kasoku_quic_protect_batch(const kasoku_quic *quic, kasoku_quic_packet *packets, size_t count);

/**
 * Unprotects `count` packets that were received, each as kasoku_quic_unprotect() does; many short ones are faster
 * together. Each one's `packet`, `pn_offset` and `packet_len` are given (`packet_len` with the tag); where `result` is
 * KASOKU_OK then, `packet_number` and `pn_len` were written, and the payload is the `packet_len` - `pn_offset` -
 * `pn_len` - 16 bytes from `pn_offset` + `pn_len` on. One that fails leaves the others right.
 *
 * All packet numbers are decoded against the same `expected_packet_number`, the largest one received before the batch
 * and one: senders write enough bytes for that.
 *
 * `result` is KASOKU_OK; KASOKU_ERR_AUTHENTICATION with the mask taken off and zeros where the payload was; or
 * KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_OFFSET,
 * KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or more), KASOKU_ERR_INTEGRITY_LIMIT
 * (looked at before each 64 packets) or KASOKU_ERR_OVERLAP with the packet as it was.
 *
 * Where packets may lie, and what is returned: as for kasoku_quic_protect_batch().
 */
size_t kasoku_quic_unprotect_batch(const kasoku_quic *quic,
                                   uint64_t expected_packet_number,
                                   kasoku_quic_packet *packets,
                                   size_t count);

/**
 * Takes the mask off the headers of `count` packets, each as kasoku_quic_unmask() does: the first of two steps,
 * between which the key phases can be read. Given and written is what kasoku_quic_unprotect_batch() has; but nothing
 * is verified yet.
 *
 * `result` is KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
 * KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or
 * more) or KASOKU_ERR_OVERLAP with the packet as it was.
 *
 * Where packets may lie, and what is returned: as for kasoku_quic_protect_batch().
 */
size_t kasoku_quic_unmask_batch(const kasoku_quic *quic,
                                uint64_t expected_packet_number,
                                kasoku_quic_packet *packets,
                                size_t count);

/**
 * Verifies and opens the packets whose `result` is KASOKU_OK, as kasoku_quic_unmask_batch() left it, each as
 * kasoku_quic_open() does. All others stay as they are, `result` too: so a batch with packets of several key phases
 * can be given to the objects of all of them, one after the other, if `result` says whose turn it is.
 *
 * `result` is then KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros where the payload was; or KASOKU_ERR_NULL,
 * KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_LENGTH,
 * KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE, KASOKU_ERR_INTEGRITY_LIMIT (looked at before
 * each 64 packets) or KASOKU_ERR_OVERLAP with the packet as it was.
 *
 * Where packets may lie, and what is returned: as for kasoku_quic_protect_batch().
 */
size_t kasoku_quic_open_batch(const kasoku_quic *quic, kasoku_quic_packet *packets, size_t count);

/**
 * The version of the library that runs, as "0.1.0". Never NULL, never to be freed.
 */
const char *kasoku_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* KASOKU_H */
