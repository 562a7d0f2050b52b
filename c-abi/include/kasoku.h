/*
 * Kasoku: AES-GCM and QUIC packet protection at the speed limit of the CPU.
 *
 * Link with -lkasoku (pkg-config: kasoku). docs/C.md explains the library; examples/seal.c and examples/quic.c are
 * complete programs.
 *
 * Rules for all functions:
 *   - A function returns KASOKU_OK (0) or one of KASOKU_ERR_... (negative) unless its comment says otherwise.
 *     kasoku_strerror() returns the code's text. Check every result: after an error, do not use anything that the
 *     function wrote.
 *   - Each comment lists the errors that the function returns. In addition, any function can return
 *     KASOKU_ERR_INTERNAL if it caught a bug in Kasoku. The output of an opening function and the packets of a packet
 *     function are then all zeros.
 *   - A NULL pointer is allowed if its length is 0. Otherwise it is an error, never a crash.
 *   - Written memory must not overlap any other argument. The only exception is in-place operation: `out` may be
 *     exactly `in`. Packets are always changed in place.
 *   - Lengths above the limits of AES-GCM (NIST SP 800-38D) are rejected before any memory is accessed.
 *   - Any number of threads may use a key or a kasoku_quic at the same time, except with kasoku_quic_begin_at() and
 *     kasoku_quic_share_failed_opens(). Only one thread at a time may use a streamed message.
 *   - If memory runs out, the process aborts.
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
 * Success.
 */
#define KASOKU_OK 0

/**
 * A pointer is NULL, but data must be read or written there.
 */
#define KASOKU_ERR_NULL -1

/**
 * The key does not have 16, 24 or 32 bytes. QUIC keys have 16 or 32 bytes, the same length in every key phase.
 */
#define KASOKU_ERR_KEY_LENGTH -2

/**
 * The nonce is empty or longer than 2^61 - 1 bytes. XAES-256-GCM needs exactly 24 bytes, AES-GCM-SIV 12.
 */
#define KASOKU_ERR_NONCE_LENGTH -3

/**
 * The AAD is longer than 2^61 - 1 bytes (AES-GCM-SIV: 2^36) or than the address space.
 */
#define KASOKU_ERR_AAD_TOO_LONG -4

/**
 * The message or packet has more than 2^36 - 32 bytes of plaintext, or is longer than the address space.
 */
#define KASOKU_ERR_MESSAGE_TOO_LONG -5

/**
 * An output overlaps another buffer. Only `out` may be exactly `in`.
 */
#define KASOKU_ERR_OVERLAP -6

/**
 * Authentication failed: the tag does not match the message or packet.
 */
#define KASOKU_ERR_AUTHENTICATION -7

/**
 * The backend's name (argument or KASOKU_BACKEND) or the schedule's name (KASOKU_SCHEDULE) is unknown.
 */
#define KASOKU_ERR_BACKEND_UNKNOWN -8

/**
 * This CPU cannot run the named backend, or the backend does not have the named schedule.
 */
#define KASOKU_ERR_BACKEND_UNAVAILABLE -9

/**
 * AAD was passed after plaintext or ciphertext. All AAD must come first.
 */
#define KASOKU_ERR_AAD_TOO_LATE -10

/**
 * The streamed message is finished. Nothing can be added to it.
 */
#define KASOKU_ERR_FINISHED -11

/**
 * A bug in Kasoku was caught; please report it. Any call can return this code. Do not use anything that the call
 * wrote. A streamed message is finished.
 */
#define KASOKU_ERR_INTERNAL -12

/**
 * The packet is too short for header protection: with its tag it needs 20 bytes from the start of the packet number.
 * The sender must pad the payload.
 */
#define KASOKU_ERR_PACKET_TOO_SHORT -13

/**
 * The length of a packet number is not 1 to 4 bytes.
 */
#define KASOKU_ERR_PACKET_NUMBER_LENGTH -14

/**
 * The packet number cannot be the first byte of the packet.
 */
#define KASOKU_ERR_PACKET_NUMBER_OFFSET -15

/**
 * The packet number, given or decoded, is 2^62 or more.
 */
#define KASOKU_ERR_PACKET_NUMBER_TOO_LARGE -16

/**
 * The packet number is lower than the first one protected under this key.
 */
#define KASOKU_ERR_PACKET_NUMBER_FELL -17

/**
 * The key has protected 2^23 packets, its confidentiality limit. Update the key.
 */
#define KASOKU_ERR_CONFIDENTIALITY_LIMIT -18

/**
 * 2^52 packets failed authentication, the integrity limit of a connection. Close the connection.
 */
#define KASOKU_ERR_INTEGRITY_LIMIT -19

/**
 * The QUIC version is not supported.
 */
#define KASOKU_ERR_QUIC_VERSION -20

/**
 * The sender is neither KASOKU_QUIC_CLIENT nor KASOKU_QUIC_SERVER.
 */
#define KASOKU_ERR_QUIC_SENDER -21

/**
 * The connection ID has more than 20 bytes.
 */
#define KASOKU_ERR_CONNECTION_ID_LENGTH -22

/**
 * The memory for a key is smaller than kasoku_gcm_size(), or not aligned to 16 bytes.
 */
#define KASOKU_ERR_MEMORY -23

/**
 * QUIC version 1 (RFC 9000).
 */
#define KASOKU_QUIC_V1 1

/**
 * QUIC version 2 (RFC 9369): 0x6b3343cf.
 */
#define KASOKU_QUIC_V2 1798521807

/**
 * The client sends the packets.
 */
#define KASOKU_QUIC_CLIENT 0

/**
 * The server sends the packets.
 */
#define KASOKU_QUIC_SERVER 1

/**
 * Expanded AES-GCM key. Several threads may use it at the same time.
 */
typedef struct kasoku_gcm kasoku_gcm;

/**
 * Message being opened in parts. Only one thread at a time may use it.
 */
typedef struct kasoku_gcm_opening kasoku_gcm_opening;

/**
 * Message being sealed in parts. Only one thread at a time may use it.
 */
typedef struct kasoku_gcm_sealing kasoku_gcm_sealing;

/**
 * Keys for the QUIC packets of one direction in one key phase (RFC 9001): packet key, IV and header-protection key. A
 * key update keeps the header-protection key. Several threads may use the object at the same time.
 */
typedef struct kasoku_quic kasoku_quic;

/**
 * AES-GCM-SIV key. Several threads may use it at the same time.
 */
typedef struct kasoku_siv kasoku_siv;

/**
 * XAES-256-GCM key. Several threads may use it at the same time.
 */
typedef struct kasoku_xaes kasoku_xaes;

/**
 * Part of a message or of AAD.
 */
typedef struct {
  /**
   * First byte of the part. NULL is allowed if `len` is 0.
   */
  const uint8_t *data;
  /**
   * Length in bytes.
   */
  size_t len;
} kasoku_slice;

/**
 * Packet of a batch.
 */
typedef struct {
  /**
   * Packet number: an input of protect and open, an output of unmask and unprotect.
   */
  uint64_t packet_number;
  /**
   * First byte of the packet's header.
   */
  uint8_t *packet;
  /**
   * Offset of the packet number, in bytes from the start of the packet.
   */
  size_t pn_offset;
  /**
   * Length of the packet number, 1 to 4 bytes: an input of protect and open, an output of unmask and unprotect.
   */
  size_t pn_len;
  /**
   * Length of the packet in bytes: WITHOUT its tag when protecting (the buffer needs 16 bytes more), with its tag
   * when receiving.
   */
  size_t packet_len;
  /**
   * Result for this packet: KASOKU_OK or one of KASOKU_ERR_...
   */
  int result;
} kasoku_quic_packet;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the English text for `code`, a return value of any function of this library. Never NULL; must not be freed.
 */
const char *kasoku_strerror(int code);

/**
 * Expands an AES-GCM key of 16, 24 or 32 bytes, for the fastest backend and schedule of this CPU.
 *
 * On Linux two environment variables override the choice, for tests and measurements. KASOKU_BACKEND is portable,
 * aesni, vaes256, vaes512, neon, aes-pmull or aes-eor3. KASOKU_SCHEDULE is karatsuba (all backends but aes-eor3) or
 * schoolbook (vaes512 and aes-eor3). They are read once, for the first key, and ignored in programs with more rights
 * than their user.
 *
 * Returns NULL if `key` is NULL or has another length, or if a variable names a backend or schedule that does not
 * exist or that this CPU lacks. There is no fallback to another backend. kasoku_gcm_create() reports the reason.
 *
 * `key` may be wiped afterwards. Free the result with kasoku_gcm_free().
 */
kasoku_gcm *kasoku_gcm_new(const uint8_t *key, size_t key_len);

/**
 * Expands a key like kasoku_gcm_new(), but returns an error code, and uses the backend named `backend` and ignores the
 * environment. With `backend` NULL it chooses the backend as kasoku_gcm_new() does.
 *
 * Stores the key in `*gcm`, or NULL after an error.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH, KASOKU_ERR_BACKEND_UNKNOWN or
 * KASOKU_ERR_BACKEND_UNAVAILABLE.
 */
int kasoku_gcm_create(const uint8_t *key, size_t key_len, const char *backend, kasoku_gcm **gcm);

/**
 * Returns the size in bytes of the memory that kasoku_gcm_init() needs. It is the same until the process ends.
 */
size_t kasoku_gcm_size(void);

/**
 * Expands a key like kasoku_gcm_create(), but in `memory` of the caller. The memory has `memory_len` bytes, at least
 * kasoku_gcm_size(), and is aligned to 16 bytes, as malloc() aligns. The object lies at `memory` and must not be
 * moved.
 *
 * Stores the key in `*gcm`, or NULL after an error. Wipe it with kasoku_gcm_wipe() before the memory is used for
 * anything else, after all streamed messages under the key have been freed.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH, KASOKU_ERR_MEMORY, or an error about the environment
 * as described for kasoku_gcm_create().
 */
int kasoku_gcm_init(void *memory, size_t memory_len, const uint8_t *key, size_t key_len, kasoku_gcm **gcm);

/**
 * Wipes a key that kasoku_gcm_init() made, whose memory may then be used for something else; does nothing for NULL.
 */
void kasoku_gcm_wipe(kasoku_gcm *gcm);

/**
 * Wipes and frees the key; does nothing for NULL. A streamed message in progress keeps its own reference to the key.
 */
void kasoku_gcm_free(kasoku_gcm *gcm);

/**
 * Seals a message: encrypts `len` bytes from `in` to `out`, and writes the tag that authenticates ciphertext and AAD.
 *
 * `in` and `out` may be the same buffer. Otherwise `out` and `tag` must not overlap any other argument. NULL is
 * allowed where a length is 0. A nonce of 12 bytes is fastest and safest. Never use a nonce twice under one key: that
 * reveals the XOR of both plaintexts and allows forgeries.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG
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
 * Opens a message: verifies the tag over the AAD and `len` bytes of ciphertext at `in`, and decrypts them to `out`.
 *
 * `in` and `out` may be the same buffer. Otherwise `out` must not overlap any other argument. NULL is allowed where a
 * length is 0.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with `out` all zeros; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH,
 * KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
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
 * Seals one message under a key that is used only once. It replaces kasoku_gcm_new(), kasoku_gcm_seal() and
 * kasoku_gcm_free(), and is faster: it expands only what the message needs, on the stack, and wipes it. (The backends
 * portable and neon, and nonces that do not have 12 bytes, use a key on the heap.)
 *
 * `key` has 16, 24 or 32 bytes, and `out` and `tag` must not overlap it. All other rules are those of
 * kasoku_gcm_seal().
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG,
 * KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_OVERLAP, or an error about the environment as described for
 * kasoku_gcm_create(), with nothing written.
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
 * Opens one message under a key that is used only once, with the rules of kasoku_gcm_seal_once(). It replaces
 * kasoku_gcm_new(), kasoku_gcm_open() and kasoku_gcm_free().
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with `out` all zeros; or KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH,
 * KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_OVERLAP, or an error about
 * the environment as described for kasoku_gcm_create(), with nothing written.
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
 * Returns the name of the backend that the key uses: portable, aesni, vaes256, vaes512, neon, aes-pmull or aes-eor3.
 * Returns NULL if `gcm` is NULL. The name must not be freed.
 */
const char *kasoku_gcm_backend(const kasoku_gcm *gcm);

/**
 * Expands a packet key and a header-protection key, both of `key_len` bytes (16 or 32). The backend is chosen as
 * described for kasoku_gcm_new().
 *
 * Returns NULL if a pointer is NULL, `key_len` has another value, or the environment names a backend or schedule that
 * does not exist or that this CPU lacks. There is no fallback to another backend. kasoku_quic_create() reports the
 * reason.
 *
 * The keys may be wiped afterwards. Free the result with kasoku_quic_free().
 */
kasoku_quic *kasoku_quic_new(const uint8_t *key, size_t key_len, const uint8_t iv[12], const uint8_t *hp_key);

/**
 * Expands keys like kasoku_quic_new(), but returns an error code, and uses the backend named `backend` and ignores the
 * environment. With `backend` NULL it chooses the backend as kasoku_quic_new() does.
 *
 * Stores the object in `*quic`, or NULL after an error.
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
 * Derives the keys of the Initial packets that `sender` sends (RFC 9001 section 5.2, RFC 9369).
 *
 * `connection_id` is the destination connection ID of the client's first packet, at most 20 bytes; after a Retry
 * packet, the ID that the server chose. `version` is KASOKU_QUIC_V1 or KASOKU_QUIC_V2, `sender` KASOKU_QUIC_CLIENT or
 * KASOKU_QUIC_SERVER. `backend` works as in kasoku_quic_create().
 *
 * Stores the object in `*quic`, or NULL after an error.
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
 * Creates the object of the next key phase (RFC 9001 section 6) from a new packet key, of the same length, and a new
 * IV. It keeps the header-protection key and the backend of `quic`, and shares its count of failed packets. `quic`
 * stays valid for late packets.
 *
 * Stores the object in `*next`, or NULL after an error. `next` must not point to the only copy of the pointer `quic`.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, or KASOKU_ERR_KEY_LENGTH if the key's length differs from that of `quic`.
 */
int kasoku_quic_next_phase(const kasoku_quic *quic,
                           const uint8_t *key,
                           size_t key_len,
                           const uint8_t iv[12],
                           kasoku_quic **next);

/**
 * Creates the object for another path of a multipath connection (RFC 10069): with the same keys, and with `path_id` in
 * the nonce, in the 32 bits before the packet number. Each path has its own packet numbers, and its packets need its
 * object. The object that kasoku_quic_create(), kasoku_quic_initial() or kasoku_quic_next_phase() made is for path 0.
 *
 * All paths of a key count their packets together for the limits of RFC 9001 section 6.6. Each takes packet numbers
 * from the limit of 2^23 in steps of 65,536. For the next key phase, call kasoku_quic_next_phase() once, then this
 * function for each path.
 *
 * Stores the object in `*path`, or NULL after an error. `path` must not point to the only copy of the pointer `quic`.
 *
 * Returns KASOKU_OK or KASOKU_ERR_NULL.
 */
int kasoku_quic_on_path(const kasoku_quic *quic, uint32_t path_id, kasoku_quic **path);

/**
 * Wipes and frees the keys; does nothing for NULL. Objects that kasoku_quic_next_phase() or kasoku_quic_on_path() made
 * from `quic` stay valid.
 */
void kasoku_quic_free(kasoku_quic *quic);

/**
 * Sets the first packet number that will be protected under this key. The key then protects 2^23 packet numbers from
 * there on. By default, the first protected packet sets this number. A call is only needed if several threads protect
 * packets out of order.
 *
 * Call it before `quic` protects its first packet, and while no other thread uses `quic`.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL or KASOKU_ERR_PACKET_NUMBER_TOO_LARGE.
 */
int kasoku_quic_begin_at(kasoku_quic *quic, uint64_t first_packet_number);

/**
 * Makes `quic` share the count of failed packets with `with`. The shared count lives until the last object that uses
 * it is freed.
 *
 * RFC 9001 section 6.6 limits the number of failed packets over all keys of a connection. All objects that open
 * packets of a connection (Initial, Handshake, 0-RTT and 1-RTT) should therefore share one count.
 * kasoku_quic_next_phase() shares it automatically. The previous count of `quic` is lost.
 *
 * Call it before `quic` opens its first packet, and while no other thread uses `quic`.
 *
 * Returns KASOKU_OK or KASOKU_ERR_NULL.
 */
int kasoku_quic_share_failed_opens(kasoku_quic *quic, const kasoku_quic *with);

/**
 * Returns the number of packets that failed authentication, over all objects that share the count of `quic`. Returns 0
 * if `quic` is NULL.
 */
uint64_t kasoku_quic_failed_opens(const kasoku_quic *quic);

/**
 * Returns the name of the backend that the keys use: portable, aesni, vaes256, vaes512, neon, aes-pmull or aes-eor3.
 * Returns NULL if `quic` is NULL. The name must not be freed.
 */
const char *kasoku_quic_backend(const kasoku_quic *quic);

/**
 * Expands a key of 16 or 32 bytes for AES-GCM-SIV (RFC 8452). If a nonce is used twice, AES-GCM-SIV reveals only
 * whether the messages are equal. The backend is chosen as described for kasoku_gcm_new().
 *
 * Returns NULL if `key` is NULL or has another length, or for the environment's errors described for kasoku_gcm_new().
 * kasoku_siv_create() reports the reason.
 *
 * `key` may be wiped afterwards. Free the result with kasoku_siv_free().
 */
kasoku_siv *kasoku_siv_new(const uint8_t key[], size_t key_len);

/**
 * Expands a key like kasoku_siv_new(), but returns an error code, and uses the backend named `backend` and ignores the
 * environment. With `backend` NULL it chooses the backend as kasoku_siv_new() does.
 *
 * Stores the key in `*siv`, or NULL after an error.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH (not 16 or 32), KASOKU_ERR_BACKEND_UNKNOWN or
 * KASOKU_ERR_BACKEND_UNAVAILABLE.
 */
int kasoku_siv_create(const uint8_t *key, size_t key_len, const char *backend, kasoku_siv **siv);

/**
 * Wipes and frees the key; does nothing for NULL.
 */
void kasoku_siv_free(kasoku_siv *siv);

/**
 * Seals a message under the rules of kasoku_gcm_seal(), with a nonce of 12 bytes. The algorithm derives keys for each
 * message and reads the message twice.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH (not 12), KASOKU_ERR_AAD_TOO_LONG,
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
 * Opens a message under the rules of kasoku_gcm_open(), with a nonce of 12 bytes.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with `out` all zeros; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH (not
 * 12), KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
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
 * Begins to seal a message in parts. The calls that follow are kasoku_gcm_sealing_aad() any number of times,
 * kasoku_gcm_sealing_update() any number of times, kasoku_gcm_sealing_finish() and kasoku_gcm_sealing_free().
 *
 * Ciphertext and tag are those of kasoku_gcm_seal(), however the message is divided. The key may be freed before the
 * message is finished.
 *
 * Returns NULL if `gcm` or `nonce` is NULL, or `nonce_len` is 0 or more than 2^61 - 1.
 */
kasoku_gcm_sealing *kasoku_gcm_sealing_new(const kasoku_gcm *gcm, const uint8_t *nonce, size_t nonce_len);

/**
 * Adds a part of the AAD. All AAD must come before the message.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_AAD_TOO_LATE or KASOKU_ERR_FINISHED with
 * the message unchanged.
 */
int kasoku_gcm_sealing_aad(kasoku_gcm_sealing *sealing, const uint8_t *aad, size_t aad_len);

/**
 * Seals the next `len` bytes of the message from `in` to `out`. The two may be the same buffer, but must not overlap
 * otherwise.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_MESSAGE_TOO_LONG (all parts together), KASOKU_ERR_OVERLAP or
 * KASOKU_ERR_FINISHED with nothing written and the message unchanged.
 */
int kasoku_gcm_sealing_update(kasoku_gcm_sealing *sealing, const uint8_t *in, size_t len, uint8_t *out);

/**
 * Finishes the message and writes its tag.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL or KASOKU_ERR_FINISHED with nothing written. If only `tag` is NULL, the
 * message is not finished and can go on.
 */
int kasoku_gcm_sealing_finish(kasoku_gcm_sealing *sealing, uint8_t tag[16]);

/**
 * Wipes and frees the message's state, finished or not; does nothing for NULL.
 */
void kasoku_gcm_sealing_free(kasoku_gcm_sealing *sealing);

/**
 * Begins to open a message in parts, with calls like those for sealing.
 *
 * The plaintext from kasoku_gcm_opening_update() is NOT VERIFIED until kasoku_gcm_opening_finish() returns KASOKU_OK.
 * Do not use it before, and discard all of it after an error. If the whole message fits into memory, use
 * kasoku_gcm_open(), which releases no unverified plaintext.
 *
 * Returns NULL if `gcm` or `nonce` is NULL, or `nonce_len` is 0 or more than 2^61 - 1.
 */
kasoku_gcm_opening *kasoku_gcm_opening_new(const kasoku_gcm *gcm, const uint8_t *nonce, size_t nonce_len);

/**
 * Adds a part of the AAD. All AAD must come before the message.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_AAD_TOO_LATE or KASOKU_ERR_FINISHED with
 * the message unchanged.
 */
int kasoku_gcm_opening_aad(kasoku_gcm_opening *opening, const uint8_t *aad, size_t aad_len);

/**
 * Opens the next `len` bytes of the message from `in` to `out`. The two may be the same buffer, but must not overlap
 * otherwise. The plaintext is NOT VERIFIED until kasoku_gcm_opening_finish() returns KASOKU_OK.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_MESSAGE_TOO_LONG (all parts together), KASOKU_ERR_OVERLAP or
 * KASOKU_ERR_FINISHED with nothing written and the message unchanged.
 */
int kasoku_gcm_opening_update(kasoku_gcm_opening *opening, const uint8_t *in, size_t len, uint8_t *out);

/**
 * Finishes the message and verifies its tag.
 *
 * Returns KASOKU_OK if all AAD and plaintext is authentic, KASOKU_ERR_AUTHENTICATION if all of it must be discarded,
 * or KASOKU_ERR_NULL or KASOKU_ERR_FINISHED if nothing was verified. If only `tag` is NULL, the message is not
 * finished and can go on.
 */
int kasoku_gcm_opening_finish(kasoku_gcm_opening *opening, const uint8_t tag[16]);

/**
 * Wipes and frees the message's state, finished or not; does nothing for NULL.
 */
void kasoku_gcm_opening_free(kasoku_gcm_opening *opening);

/**
 * Seals a message that lies in `in_count` slices, with AAD in `aad_count` slices. Ciphertext and tag are those of
 * kasoku_gcm_seal() for the concatenated slices. `out` must have room for the total length of the slices of `in`.
 *
 * Slices may have any length, also 0, and lie anywhere. `out` and `tag` must not overlap a slice or an array of
 * slices. An array of 0 slices may be NULL.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG
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
 * Opens a message that lies in `in_count` slices, with AAD in `aad_count` slices, like kasoku_gcm_open() opens the
 * concatenated slices. `out` must have room for the total length of the slices of `in`, and must not overlap a slice
 * or an array of slices.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with `out` all zeros; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH,
 * KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
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
 * Expands a key of 32 bytes for XAES-256-GCM (https://c2sp.org/XAES-256-GCM). Its nonces of 24 bytes may be random:
 * the probability that any nonce repeats among 2^80 messages is 2^-32. The backend is chosen as described for
 * kasoku_gcm_new().
 *
 * Returns NULL if `key` is NULL, or for the environment's errors described for kasoku_gcm_new(). kasoku_xaes_create()
 * reports the reason.
 *
 * `key` may be wiped afterwards. Free the result with kasoku_xaes_free().
 */
kasoku_xaes *kasoku_xaes_new(const uint8_t key[32]);

/**
 * Expands a key like kasoku_xaes_new(), but returns an error code, and uses the backend named `backend` and ignores
 * the environment. With `backend` NULL it chooses the backend as kasoku_xaes_new() does.
 *
 * Stores the key in `*xaes`, or NULL after an error.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_BACKEND_UNKNOWN or KASOKU_ERR_BACKEND_UNAVAILABLE.
 */
int kasoku_xaes_create(const uint8_t key[32], const char *backend, kasoku_xaes **xaes);

/**
 * Wipes and frees the key; does nothing for NULL.
 */
void kasoku_xaes_free(kasoku_xaes *xaes);

/**
 * Seals a message under the rules of kasoku_gcm_seal(), with a nonce of 24 bytes. Draw each nonce from the system's
 * random generator. Deriving each message's AES-256-GCM key takes 35 to 200 ns with vaes512 and up to 330 ns with
 * aesni (Granite Rapids).
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH (not 24), KASOKU_ERR_AAD_TOO_LONG,
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
 * Opens a message under the rules of kasoku_gcm_open(), with a nonce of 24 bytes.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with `out` all zeros; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH (not
 * 24), KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
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
 * Protects a packet in place: encrypts the payload, appends the tag, and masks the header.
 *
 * `packet` holds the header, whose last `pn_len` bytes are the packet number at `pn_offset`; then the payload; then 16
 * bytes of room for the tag. `packet_len` counts header and payload but NOT the tag; `packet_len` + 16 bytes are sent.
 * (On the receiving side, `packet_len` counts the tag.)
 *
 * Packet number and payload must have at least four bytes together, or the header could not be masked: pad shorter
 * payloads. Never use a packet number twice under one key.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
 * KASOKU_ERR_PACKET_NUMBER_LENGTH, KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE,
 * KASOKU_ERR_PACKET_NUMBER_FELL or KASOKU_ERR_CONFIDENTIALITY_LIMIT with the packet unchanged: unencrypted, not to be
 * sent.
 */
int kasoku_quic_protect(const kasoku_quic *quic,
                        uint64_t packet_number,
                        uint8_t *packet,
                        size_t pn_offset,
                        size_t pn_len,
                        size_t packet_len);

/**
 * Removes the header protection of a received packet and decodes its packet number.
 *
 * `expected_packet_number` is the largest packet number received so far, plus one. After this call the key phase bit
 * of a short header is readable (0x04 of the first byte). Pass the packet to kasoku_quic_open() with the object of
 * that phase; the header-protection key is the same in all phases. Nothing is verified yet: the header may be forged.
 *
 * `packet_len` is the length of the whole packet with its tag. The header ends at `pn_offset` + `*pn_len`; `*pn_len`
 * is 1 to 4.
 *
 * Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
 * KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or
 * more) or KASOKU_ERR_OVERLAP (the packet overlaps `packet_number` or `pn_len`) with nothing written.
 */
int kasoku_quic_unmask(const kasoku_quic *quic,
                       uint64_t expected_packet_number,
                       uint8_t *packet,
                       size_t pn_offset,
                       size_t packet_len,
                       uint64_t *packet_number,
                       size_t *pn_len);

/**
 * Verifies and opens in place a packet that kasoku_quic_unmask() has unmasked. The payload begins at `pn_offset` +
 * `pn_len` and has `packet_len` - `pn_offset` - `pn_len` - 16 bytes. `packet_len` is the length of the whole packet
 * with its tag.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with the payload zeroed; or KASOKU_ERR_NULL,
 * KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_LENGTH,
 * KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE or KASOKU_ERR_INTEGRITY_LIMIT with the packet
 * unchanged.
 */
int kasoku_quic_open(const kasoku_quic *quic,
                     uint64_t packet_number,
                     uint8_t *packet,
                     size_t pn_offset,
                     size_t pn_len,
                     size_t packet_len);

/**
 * Unmasks, verifies and opens in place a received packet whose key phase is known. This call combines
 * kasoku_quic_unmask() and kasoku_quic_open().
 *
 * `expected_packet_number` is the largest packet number received so far, plus one. `packet_len` is the length of the
 * whole packet with its tag. The payload is the `*payload_len` bytes from `*payload_offset` on.
 *
 * Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with the header unmasked and the payload zeroed; or KASOKU_ERR_NULL,
 * KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_OFFSET,
 * KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or more), KASOKU_ERR_INTEGRITY_LIMIT or
 * KASOKU_ERR_OVERLAP (the packet or an output overlaps another output) with the packet unchanged. `packet_number`,
 * `payload_offset` and `payload_len` are written only with KASOKU_OK.
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
 * Returns the smallest length, 1 to 4 bytes, from which the receiver can decode `packet_number` (RFC 9000 A.2).
 * `largest_acknowledged` is the largest packet number that the receiver has acknowledged, or UINT64_MAX if there is
 * none.
 *
 * Returns 1 if `packet_number` is not above `largest_acknowledged`; a new packet cannot have such a number. Returns 0
 * if four bytes are not enough because more than 2^31 packets are unacknowledged, or if `packet_number` is 2^62 or
 * more.
 */
size_t kasoku_quic_number_bytes(uint64_t packet_number, uint64_t largest_acknowledged);

/**
 * Protects `count` packets, each as kasoku_quic_protect() does. A batch is faster than single calls for short packets.
 *
 * Set `packet_number`, `packet`, `pn_offset`, `pn_len` and `packet_len` of each packet. `packet_len` is WITHOUT the
 * tag, for which 16 bytes must follow. The call writes `result`. An error of one packet does not affect the others.
 * Packet numbers may come in any order and have gaps.
 *
 * `result` is KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
 * KASOKU_ERR_PACKET_NUMBER_LENGTH, KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE,
 * KASOKU_ERR_PACKET_NUMBER_FELL, KASOKU_ERR_CONFIDENTIALITY_LIMIT or KASOKU_ERR_OVERLAP with the packet unchanged:
 * unencrypted, not to be sent.
 *
 * The packets must not overlap each other or the array `packets`. They are processed 64 at a time, and overlaps within
 * such a group or with the array are reported as KASOKU_ERR_OVERLAP. Overlaps between packets of different groups are
 * not detected: they corrupt these packets, but no other memory. Packets with rising addresses, as in a GSO buffer,
 * are checked fastest.
 *
 * Returns the number of packets that succeeded. Returns 0 with nothing written if `packets` is NULL, unaligned, or
 * longer than the address space.
 */
size_t kasoku_quic_protect_batch(const kasoku_quic *quic, kasoku_quic_packet *packets, size_t count);

/**
 * Unprotects `count` received packets, each as kasoku_quic_unprotect() does. A batch is faster than single calls for
 * short packets.
 *
 * Set `packet`, `pn_offset` and `packet_len` (with the tag) of each packet. The call writes `result` and, where that
 * is KASOKU_OK, `packet_number` and `pn_len`. The payload is then the `packet_len` - `pn_offset` - `pn_len` - 16 bytes
 * from `pn_offset` + `pn_len` on. An error of one packet does not affect the others.
 *
 * `expected_packet_number` is the largest packet number received before the batch, plus one. The packet numbers of the
 * whole batch are decoded against it; senders encode enough bytes for that.
 *
 * `result` is KASOKU_OK; KASOKU_ERR_AUTHENTICATION with the header unmasked and the payload zeroed; or
 * KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_OFFSET,
 * KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or more), KASOKU_ERR_INTEGRITY_LIMIT
 * (checked once for every 64 packets) or KASOKU_ERR_OVERLAP with the packet unchanged.
 *
 * The rules for overlaps and the return value are those of kasoku_quic_protect_batch().
 */
size_t kasoku_quic_unprotect_batch(const kasoku_quic *quic,
                                   uint64_t expected_packet_number,
                                   kasoku_quic_packet *packets,
                                   size_t count);

/**
 * Unmasks the headers of `count` received packets, each as kasoku_quic_unmask() does. Then read the key phases,
 * and verify the packets with kasoku_quic_open_batch().
 *
 * Inputs and outputs are those of kasoku_quic_unprotect_batch(), but nothing is verified yet.
 *
 * `result` is KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
 * KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or
 * more) or KASOKU_ERR_OVERLAP with the packet unchanged.
 *
 * The rules for overlaps and the return value are those of kasoku_quic_protect_batch().
 */
size_t kasoku_quic_unmask_batch(const kasoku_quic *quic,
                                uint64_t expected_packet_number,
                                kasoku_quic_packet *packets,
                                size_t count);

/**
 * Verifies and opens the packets whose `result` is KASOKU_OK, each as kasoku_quic_open() does. Pass the array as
 * kasoku_quic_unmask_batch() left it.
 *
 * Packets with another `result` are skipped and keep it. For a batch with several key phases, call this function once
 * for each phase's object, with `result` set to KASOKU_OK only for the packets of that phase.
 *
 * `result` becomes KASOKU_OK; KASOKU_ERR_AUTHENTICATION with the payload zeroed; or KASOKU_ERR_NULL,
 * KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_LENGTH,
 * KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE, KASOKU_ERR_INTEGRITY_LIMIT (checked once for
 * every 64 packets) or KASOKU_ERR_OVERLAP with the packet unchanged.
 *
 * The rules for overlaps and the return value are those of kasoku_quic_protect_batch().
 */
size_t kasoku_quic_open_batch(const kasoku_quic *quic, kasoku_quic_packet *packets, size_t count);

/**
 * Returns the version of the library at run time, such as "0.1.0". Never NULL; must not be freed.
 */
const char *kasoku_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* KASOKU_H */
