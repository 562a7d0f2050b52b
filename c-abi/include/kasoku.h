/*
 * Kasoku: AES-GCM at the limit of the CPU it runs on.
 *
 * Link with -lkasoku (pkg-config: kasoku). docs/C.md shows how, examples/seal.c is a whole program.
 *
 * Rules for every call:
 *   - It returns KASOKU_OK (0) or one of KASOKU_ERR_... (negative) unless it says otherwise; kasoku_strerror() says it in
 *     words. Look at every result: after an error nothing that was written may be used.
 *   - NULL is allowed where the length beside it is 0, and is an error otherwise, never a crash.
 *   - What is written overlaps nothing else that the call is given; only `out` may be `in` itself, in place.
 *   - Lengths past the limits of AES-GCM (NIST SP 800-38D) are refused before any memory is touched.
 *   - A key is used by as many threads as you like at the same time; a message in pieces by one at a time.
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
 * A pointer is NULL where something has to be read or written.
 */
#define KASOKU_ERR_NULL -1

/**
 * The key does not have 16, 24 or 32 bytes.
 */
#define KASOKU_ERR_KEY_LENGTH -2

/**
 * The nonce has no bytes, or more than 2^61 - 1.
 */
#define KASOKU_ERR_NONCE_LENGTH -3

/**
 * More than 2^61 - 1 bytes of AAD, or more than an address space holds.
 */
#define KASOKU_ERR_AAD_TOO_LONG -4

/**
 * More than 2^36 - 32 bytes of text under one nonce, or more than an address space holds.
 */
#define KASOKU_ERR_TEXT_TOO_LONG -5

/**
 * What would be written overlaps something else; only `out` may be `in`, exactly.
 */
#define KASOKU_ERR_OVERLAP -6

/**
 * The message is forged: its tag is wrong.
 */
#define KASOKU_ERR_FORGED -7

/**
 * No backend has the name that was given, as an argument or in KASOKU_BACKEND.
 */
#define KASOKU_ERR_BACKEND_UNKNOWN -8

/**
 * This CPU cannot run the backend that was named.
 */
#define KASOKU_ERR_BACKEND_UNAVAILABLE -9

/**
 * AAD came after text: the mode takes all AAD first.
 */
#define KASOKU_ERR_AAD_AFTER_TEXT -10

/**
 * The message in pieces is finished; nothing can be added to it.
 */
#define KASOKU_ERR_FINISHED -11

/**
 * A bug in Kasoku was caught; please report it. Nothing that was written may be used.
 */
#define KASOKU_ERR_INTERNAL -12

/**
 * An AES-GCM key, expanded once. Several threads may use it at the same time.
 */
typedef struct kasoku_gcm kasoku_gcm;

/**
 * A message that is being opened in pieces. One thread at a time may use it.
 */
typedef struct kasoku_gcm_opening kasoku_gcm_opening;

/**
 * A message that is being sealed in pieces. One thread at a time may use it.
 */
typedef struct kasoku_gcm_sealing kasoku_gcm_sealing;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * What a number returned by this library means, in English. Never NULL, never to be freed.
 */
const char *kasoku_strerror(int code);

/**
 * Expands a key of 16, 24 or 32 bytes for the fastest backend of this CPU, or for the one that the environment variable
 * KASOKU_BACKEND names (portable, aesni, vaes256, vaes512), which is meant for tests and measurements. The variable is
 * read once, when the first key is made, and not at all in programs with more rights than their user.
 *
 * Returns NULL if the length is another one, `key` is NULL, or KASOKU_BACKEND names a backend that does not exist or
 * that this CPU cannot run: never another backend instead. kasoku_gcm_create() says which.
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
 * Wipes the key and frees it; NULL is nothing to free. A message in pieces that is still under way keeps the key until
 * it is freed itself.
 */
void kasoku_gcm_free(kasoku_gcm *gcm);

/**
 * Seals a message: encrypts `len` bytes from `in` to `out`, and makes the tag that proves them and the AAD genuine.
 *
 * `in` and `out` may be the same buffer; any other overlap of what is written (`out`, `tag`) with anything else is
 * refused. NULL is allowed where a length is 0. A nonce of 12 bytes is fastest and safest. A nonce must never be used
 * twice under one key: doing so gives away both texts and lets anybody forge messages.
 *
 * Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_TEXT_TOO_LONG or
 * KASOKU_ERR_OVERLAP with nothing written.
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
 * Returns KASOKU_OK; KASOKU_ERR_FORGED with zeros in all of `out`; KASOKU_ERR_INTERNAL with zeros there too; or
 * KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_TEXT_TOO_LONG or KASOKU_ERR_OVERLAP
 * with nothing written.
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
 * The name of the backend that does the work: portable, aesni, vaes256 or vaes512. NULL for NULL. Never to be freed.
 */
const char *kasoku_gcm_backend(const kasoku_gcm *gcm);

/**
 * Begins to seal a message in pieces: kasoku_gcm_sealing_aad() any number of times, then kasoku_gcm_sealing_update() any
 * number of times, then kasoku_gcm_sealing_finish(), then kasoku_gcm_sealing_free(). What comes out is the same as from
 * kasoku_gcm_seal(), however the message is cut. The key may be freed meanwhile.
 *
 * Returns NULL if `gcm` or `nonce` is NULL, or `nonce_len` is 0.
 */
kasoku_gcm_sealing *kasoku_gcm_sealing_new(const kasoku_gcm *gcm,
                                           const uint8_t *nonce,
                                           size_t nonce_len);

/**
 * Takes a piece of the AAD, all of which comes before the text.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_AAD_AFTER_TEXT or KASOKU_ERR_FINISHED; after an
 * error the message is as it was.
 */
int kasoku_gcm_sealing_aad(kasoku_gcm_sealing *sealing,
                           const uint8_t *aad,
                           size_t aad_len);

/**
 * Seals the next `len` bytes of the text from `in` to `out`, which may be the same buffer or lie apart from it.
 *
 * Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_TEXT_TOO_LONG (all pieces together), KASOKU_ERR_OVERLAP or
 * KASOKU_ERR_FINISHED with nothing written and the message as it was.
 */
int kasoku_gcm_sealing_update(kasoku_gcm_sealing *sealing,
                              const uint8_t *in,
                              size_t len,
                              uint8_t *out);

/**
 * Ends the message and writes its tag.
 *
 * Returns KASOKU_OK, KASOKU_ERR_NULL or KASOKU_ERR_FINISHED.
 */
int kasoku_gcm_sealing_finish(kasoku_gcm_sealing *sealing, uint8_t tag[16]);

/**
 * Wipes the message's state and frees it, finished or not; NULL is nothing to free.
 */
void kasoku_gcm_sealing_free(kasoku_gcm_sealing *sealing);

/**
 * Begins to open a message in pieces, with calls like those for sealing.
 *
 * What kasoku_gcm_opening_update() writes is NOT VERIFIED until kasoku_gcm_opening_finish() returns KASOKU_OK: do nothing
 * with it before, and throw it all away otherwise. Where the whole message fits into memory use kasoku_gcm_open(), which
 * gives nothing of a forgery.
 *
 * Returns NULL if `gcm` or `nonce` is NULL, or `nonce_len` is 0.
 */
kasoku_gcm_opening *kasoku_gcm_opening_new(const kasoku_gcm *gcm,
                                           const uint8_t *nonce,
                                           size_t nonce_len);

/**
 * Takes a piece of the AAD, all of which comes before the text.
 *
 * Returns what kasoku_gcm_sealing_aad() returns.
 */
int kasoku_gcm_opening_aad(kasoku_gcm_opening *opening, const uint8_t *aad, size_t aad_len);

/**
 * Opens the next `len` bytes of the text from `in` to `out`, which may be the same buffer or lie apart from it. They are
 * NOT VERIFIED until kasoku_gcm_opening_finish() says so.
 *
 * Returns what kasoku_gcm_sealing_update() returns.
 */
int kasoku_gcm_opening_update(kasoku_gcm_opening *opening,
                              const uint8_t *in,
                              size_t len,
                              uint8_t *out);

/**
 * Ends the message and verifies it against its tag.
 *
 * Returns KASOKU_OK: everything that the updates gave is genuine. KASOKU_ERR_FORGED: throw all of it away.
 * KASOKU_ERR_NULL, KASOKU_ERR_FINISHED: nothing was verified.
 */
int kasoku_gcm_opening_finish(kasoku_gcm_opening *opening, const uint8_t tag[16]);

/**
 * Wipes the message's state and frees it, finished or not; NULL is nothing to free.
 */
void kasoku_gcm_opening_free(kasoku_gcm_opening *opening);

/**
 * The version of the library that runs, as "0.1.0". Never NULL, never to be freed.
 */
const char *kasoku_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* KASOKU_H */
