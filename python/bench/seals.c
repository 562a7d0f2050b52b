/* Baseline of library.py: the same calls of the C library as from Python, one after the other. */
#include <kasoku.h>
#include <sys/types.h>

int seals(const kasoku_gcm *gcm, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, const uint8_t *text,
          size_t len, uint8_t *out, size_t count) {
    int failed = 0;
    while (count--)
        failed |= kasoku_gcm_seal(gcm, nonce, 12, aad, aad_len, text, len, out, out + len);
    return failed;
}

/* The Python process that loads this library provides these functions. */
void *PyBytes_FromStringAndSize(const char *bytes, ssize_t len);
void Py_DecRef(void *object);

/* Creates 64 bytes objects of `len` bytes that exist at the same time, as encrypt_many must, and frees them. */
void objects(ssize_t len, size_t count) {
    void *made[64];
    while (count--) {
        for (int i = 0; i < 64; i++)
            made[i] = PyBytes_FromStringAndSize(0, len);
        for (int i = 0; i < 64; i++)
            Py_DecRef(made[i]);
    }
}
