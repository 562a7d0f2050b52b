/* Says which backend a key gets here, or why there is none. */

#include <stdio.h>

#include <kasoku.h>

int main(void)
{
    static const uint8_t key[16] = {1};
    kasoku_gcm *gcm, *other = kasoku_gcm_new(key, sizeof key);
    int code = kasoku_gcm_create(key, sizeof key, NULL, &gcm);

    if ((other == NULL) != (gcm == NULL))
        return 1;
    printf("%d %s\n", code, gcm == NULL ? "none" : kasoku_gcm_backend(gcm));
    kasoku_gcm_free(gcm);
    kasoku_gcm_free(other);
    return 0;
}
