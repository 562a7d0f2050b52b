/*
 * Protects eight QUIC packets in one buffer, as one GSO system call sends them, with a key update after the fifth.
 * The receiver unmasks the whole batch, reads the key phases, and opens each packet with the key of its phase.
 * One packet is modified on the way, and the receiver rejects it.
 *
 *   cc quic.c $(pkg-config --cflags --libs kasoku) -o quic && ./quic
 *   x86_64-w64-mingw32-gcc -I include quic.c kasoku.dll -lbcrypt -o quic.exe        (for Windows)
 */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>

#include <bcrypt.h>
#endif

#include <kasoku.h>

#define PACKETS 8
#define UPDATED_AFTER 5
#define PACKET_LEN 1200 /* with its tag */
#define TAG_LEN 16
#define PN_OFFSET 9 /* after the first byte and a connection ID of 8 bytes */
#define PN_LEN 2
#define HEADER_LEN (PN_OFFSET + PN_LEN)

/* Secrets of both sides after the handshake. (A real connection has one set for each direction.) */
struct secrets {
    uint8_t key[16], iv[12];           /* first key phase */
    uint8_t next_key[16], next_iv[12]; /* second key phase */
    uint8_t hp_key[16];                /* all key phases */
};

/* Fills `bytes` with random bytes from the operating system. Returns 0 on failure. */
static int random_bytes(void *bytes, size_t len)
{
#ifdef _WIN32
    return BCryptGenRandom(NULL, (uint8_t *)bytes, (ULONG)len, BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
#else
    FILE *source = fopen("/dev/urandom", "rb");
    size_t got = 0;

    if (source != NULL) {
        got = fread(bytes, 1, len, source);
        fclose(source);
    }
    return got == len;
#endif
}

static int fail(const char *what, int code)
{
    fprintf(stderr, "%s: %s\n", what, kasoku_strerror(code));
    return 1;
}

/* Writes a short header (RFC 9000 section 17.3) and a payload. */
static void write_packet(uint8_t *packet, uint64_t number, int phase)
{
    packet[0] = (uint8_t)(0x40 | phase << 2 | (PN_LEN - 1));
    memcpy(packet + 1, "receiver", 8);
    packet[PN_OFFSET] = (uint8_t)(number >> 8);
    packet[PN_OFFSET + 1] = (uint8_t)number;
    memset(packet + HEADER_LEN, 0, PACKET_LEN - TAG_LEN - HEADER_LEN);
    sprintf((char *)packet + HEADER_LEN, "packet %d", (int)number);
}

static int send_all(const struct secrets *secrets, uint8_t *buffer)
{
    kasoku_quic_packet packets[PACKETS];
    kasoku_quic *first, *second;
    size_t i, done;
    int code = kasoku_quic_create(secrets->key, sizeof secrets->key, secrets->iv, secrets->hp_key, NULL, &first);

    if (code != KASOKU_OK)
        return fail("making the first key", code);
    code = kasoku_quic_next_phase(first, secrets->next_key, sizeof secrets->next_key, secrets->next_iv, &second);
    if (code != KASOKU_OK)
        return fail("making the second key", code);
    printf("Kasoku %s, backend %s\n", kasoku_version(), kasoku_quic_backend(first));

    for (i = 0; i < PACKETS; i++) {
        packets[i].packet_number = 1000 + i;
        packets[i].packet = buffer + i * PACKET_LEN;
        packets[i].pn_offset = PN_OFFSET;
        packets[i].pn_len = PN_LEN;
        packets[i].packet_len = PACKET_LEN - TAG_LEN; /* to protect: without the tag */
        write_packet(packets[i].packet, packets[i].packet_number, i >= UPDATED_AFTER);
    }
    done = kasoku_quic_protect_batch(first, packets, UPDATED_AFTER);
    done += kasoku_quic_protect_batch(second, packets + UPDATED_AFTER, PACKETS - UPDATED_AFTER);
    kasoku_quic_free(first);
    kasoku_quic_free(second);
    for (i = 0; i < PACKETS; i++)
        if (packets[i].result != KASOKU_OK)
            return fail("protecting a packet", packets[i].result);
    printf("protected %d packets of %d bytes\n", (int)done, PACKET_LEN);
    return 0;
}

static int receive_all(const struct secrets *secrets, uint8_t *buffer)
{
    kasoku_quic_packet packets[PACKETS];
    kasoku_quic *first, *second;
    size_t i, of_first = 0;
    int code = kasoku_quic_create(secrets->key, sizeof secrets->key, secrets->iv, secrets->hp_key, NULL, &first);

    if (code != KASOKU_OK)
        return fail("making the first key", code);
    /* The second object shares the count of failed packets with the first (RFC 9001 section 6.6). */
    code = kasoku_quic_next_phase(first, secrets->next_key, sizeof secrets->next_key, secrets->next_iv, &second);
    if (code != KASOKU_OK)
        return fail("making the second key", code);

    for (i = 0; i < PACKETS; i++) {
        packets[i].packet = buffer + i * PACKET_LEN;
        packets[i].pn_offset = PN_OFFSET;
        packets[i].packet_len = PACKET_LEN; /* received: with the tag */
    }
    kasoku_quic_unmask_batch(first, 1000, packets, PACKETS);
    while (of_first < PACKETS && (packets[of_first].packet[0] & 0x04) == 0)
        of_first++;
    kasoku_quic_open_batch(first, packets, of_first);
    kasoku_quic_open_batch(second, packets + of_first, PACKETS - of_first);
    kasoku_quic_free(first);

    for (i = 0; i < PACKETS; i++) {
        const char *payload = (const char *)packets[i].packet + packets[i].pn_offset + packets[i].pn_len;

        if (packets[i].result != KASOKU_OK)
            printf("number %d, phase %d: %s\n", (int)packets[i].packet_number, i >= of_first,
                   kasoku_strerror(packets[i].result));
        else
            printf("number %d, phase %d: %s\n", (int)packets[i].packet_number, i >= of_first, payload);
    }
    printf("failed: %d\n", (int)kasoku_quic_failed_opens(second));
    kasoku_quic_free(second);
    return 0;
}

int main(void)
{
    static uint8_t buffer[PACKETS * PACKET_LEN];
    struct secrets secrets;

    if (!random_bytes(&secrets, sizeof secrets)) {
        fprintf(stderr, "no random bytes\n");
        return 1;
    }
    if (send_all(&secrets, buffer) != 0)
        return 1;
    buffer[6 * PACKET_LEN + 100] ^= 1; /* an attacker flips one bit */
    if (receive_all(&secrets, buffer) != 0)
        return 1;
    memset(&secrets, 0, sizeof secrets);
    return 0;
}
