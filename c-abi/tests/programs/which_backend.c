/* Prints the backend that a new key uses, or the error code. */

#include <stdio.h>
#include <string.h>

#include <kasoku.h>

int main(void)
{
    static const uint8_t key[16] = {1};
    kasoku_gcm *gcm, *other = kasoku_gcm_new(key, sizeof key);
    kasoku_quic *quic, *other_quic = kasoku_quic_new(key, sizeof key, key, key), *initial;
    int code = kasoku_gcm_create(key, sizeof key, NULL, &gcm);

    /* All functions that create keys must choose the same backend. */
    if (kasoku_quic_create(key, sizeof key, key, key, NULL, &quic) != code)
        return 1;
    if (kasoku_quic_initial(KASOKU_QUIC_V1, KASOKU_QUIC_SERVER, key, 8, NULL, &initial) != code)
        return 1;
    if ((other == NULL) != (gcm == NULL) || (quic == NULL) != (gcm == NULL) || (other_quic == NULL) != (gcm == NULL))
        return 1;
    if (gcm != NULL && (strcmp(kasoku_gcm_backend(gcm), kasoku_quic_backend(quic)) != 0 ||
                        strcmp(kasoku_gcm_backend(gcm), kasoku_quic_backend(other_quic)) != 0 ||
                        strcmp(kasoku_gcm_backend(gcm), kasoku_quic_backend(initial)) != 0))
        return 1;
    printf("%d %s\n", code, gcm == NULL ? "none" : kasoku_gcm_backend(gcm));
    kasoku_gcm_free(gcm);
    kasoku_gcm_free(other);
    kasoku_quic_free(quic);
    kasoku_quic_free(other_quic);
    kasoku_quic_free(initial);
    return 0;
}
