/*
 * Code that quicly.c and ngtcp2.c share: the Initial packets of RFC 9001 Appendix A, and a function that computes a
 * header-protection mask alone.
 */

#ifndef RFC9001_H
#define RFC9001_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <kasoku.h>

#define IV_LEN 12
#define TAG_LEN 16
#define SAMPLE_LEN 16
#define MASK_LEN 5

/* Published packet; keys and bytes are in hexadecimal. */
struct published {
    const char *name;
    uint64_t number;
    const char *secret, *key, *iv, *hp_key;
    const char *header;  /* unmasked, with the packet number */
    const char *payload; /* without the zeros (PADDING frames) at its end */
    const char *packet;
};

static const struct published published_packets[] = {
    {
        "RFC 9001 A.2, client",
        2,
        "c00cf151ca5be075ed0ebfb5c80323c42d6b7db67881289af4008f1f6c357aea",
        "1f369613dd76d5467730efcbe3b1a22d",
        "fa044b2f42a3fd3b46fb255c",
        "9f50449e04a0e810283a1e9933adedd2",
        "c300000001088394c8f03e5157080000449e00000002",
        "060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c00000413011302010000c000"
        "000010000e00000b6578616d706c652e636f6dff01000100000a00080006001d0017001800100007000504616c706e00050005010000"
        "0000003300260024001d00209370b2c9caa47fbabaf4559fedba753de171fa71f50f1ce15d43e994ec74d748002b0003020304000d00"
        "10000e0403050306030203080408050806002d00020101001c00024001003900320408ffffffffffffffff05048000ffff07048000ff"
        "ff0801100104800075300901100f088394c8f03e51570806048000ffff",
        "c000000001088394c8f03e5157080000449e7b9aec34d1b1c98dd7689fb8ec11d242b123dc9bd8bab936b47d92ec356c0bab7df5976d"
        "27cd449f63300099f3991c260ec4c60d17b31f8429157bb35a1282a643a8d2262cad67500cadb8e7378c8eb7539ec4d4905fed1bee1f"
        "c8aafba17c750e2c7ace01e6005f80fcb7df621230c83711b39343fa028cea7f7fb5ff89eac2308249a02252155e2347b63d58c5457a"
        "fd84d05dfffdb20392844ae812154682e9cf012f9021a6f0be17ddd0c2084dce25ff9b06cde535d0f920a2db1bf362c23e596d11a4f5"
        "a6cf3948838a3aec4e15daf8500a6ef69ec4e3feb6b1d98e610ac8b7ec3faf6ad760b7bad1db4ba3485e8a94dc250ae3fdb41ed15fb6"
        "a8e5eba0fc3dd60bc8e30c5c4287e53805db059ae0648db2f64264ed5e39be2e20d82df566da8dd5998ccabdae053060ae6c7b4378e8"
        "46d29f37ed7b4ea9ec5d82e7961b7f25a9323851f681d582363aa5f89937f5a67258bf63ad6f1a0b1d96dbd4faddfcefc5266ba66117"
        "22395c906556be52afe3f565636ad1b17d508b73d8743eeb524be22b3dcbc2c7468d54119c7468449a13d8e3b95811a198f3491de3e7"
        "fe942b330407abf82a4ed7c1b311663ac69890f4157015853d91e923037c227a33cdd5ec281ca3f79c44546b9d90ca00f064c99e3dd9"
        "7911d39fe9c5d0b23a229a234cb36186c4819e8b9c5927726632291d6a418211cc2962e20fe47feb3edf330f2c603a9d48c0fcb5699d"
        "bfe5896425c5bac4aee82e57a85aaf4e2513e4f05796b07ba2ee47d80506f8d2c25e50fd14de71e6c418559302f939b0e1abd576f279"
        "c4b2e0feb85c1f28ff18f58891ffef132eef2fa09346aee33c28eb130ff28f5b766953334113211996d20011a198e3fc433f9f254101"
        "0ae17c1bf202580f6047472fb36857fe843b19f5984009ddc324044e847a4f4a0ab34f719595de37252d6235365e9b84392b06108534"
        "9d73203a4a13e96f5432ec0fd4a1ee65accdd5e3904df54c1da510b0ff20dcc0c77fcb2c0e0eb605cb0504db87632cf3d8b4dae6e705"
        "769d1de354270123cb11450efc60ac47683d7b8d0f811365565fd98c4c8eb936bcab8d069fc33bd801b03adea2e1fbc5aa463d08ca19"
        "896d2bf59a071b851e6c239052172f296bfb5e72404790a2181014f3b94a4e97d117b438130368cc39dbb2d198065ae3986547926cd2"
        "162f40a29f0c3c8745c0f50fba3852e566d44575c29d39a03f0cda721984b6f440591f355e12d439ff150aab7613499dbd49adabc867"
        "6eef023b15b65bfc5ca06948109f23f350db82123535eb8a7433bdabcb909271a6ecbcb58b936a88cd4e8f2e6ff5800175f113253d8f"
        "a9ca8885c2f552e657dc603f252e1a8e308f76f0be79e2fb8f5d5fbbe2e30ecadd220723c8c0aea8078cdfcb3868263ff8f0940054da"
        "48781893a7e49ad5aff4af300cd804a6b6279ab3ff3afb64491c85194aab760d58a606654f9f4400e8b38591356fbf6425aca26dc852"
        "44259ff2b19c41b9f96f3ca9ec1dde434da7d2d392b905ddf3d1f9af93d1af5950bd493f5aa731b4056df31bd267b6b90a079831aaf5"
        "79be0a39013137aac6d404f518cfd46840647e78bfe706ca4cf5e9c5453e9f7cfd2b8b4c8d169a44e55c88d4a9a7f9474241e221af44"
        "860018ab0856972e194cd934",
    },
    {
        "RFC 9001 A.3, server",
        1,
        "3c199828fd139efd216c155ad844cc81fb82fa8d7446fa7d78be803acdda951b",
        "cf3a5331653c364c88f0f379b6067e37",
        "0ac1493ca1905853b0bba03e",
        "c206b8d9b9f0f37644430b490eeaa314",
        "c1000000010008f067a5502a4262b50040750001",
        "02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf73988cfc79825df566dc5430b9a045a1200130100002e00"
        "330024001d00209d3c940d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da1a002b00020304",
        "cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a5816b6394100f37a1c69797554780bb38cc5a99f5ede"
        "4cf73c3ec2493a1839b3dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84022f8ef4cdd93795d77d06ed"
        "bb7aaf2f58891850abbdca3d20398c276456cbc42158407dd074ee",
    },
};

/* Writes the bytes that `hex` spells to `bytes`. Returns their number. */
static size_t from_hex(const char *hex, uint8_t *bytes)
{
    size_t len;

    for (len = 0; hex[2 * len] != '\0'; len++) {
        unsigned value;

        if (sscanf(hex + 2 * len, "%2x", &value) != 1)
            break;
        bytes[len] = (uint8_t)value;
    }
    return len;
}

/* Reports `what` about `name` unless `holds`, and returns `holds`. */
static int check(int holds, const char *name, const char *what)
{
    if (!holds)
        fprintf(stderr, "%s: %s\n", name, what);
    return holds;
}

/* Makes the nonce of a packet from the IV and the packet number (RFC 9001 section 5.3). */
static void make_nonce(const uint8_t iv[IV_LEN], uint64_t number, uint8_t nonce[IV_LEN])
{
    int i;

    memcpy(nonce, iv, IV_LEN);
    for (i = IV_LEN - 1; number > 0; i--, number >>= 8)
        nonce[i] ^= (uint8_t)number;
}

/*
 * Computes the mask for `sample` (RFC 9001 section 5.4.1) with the header-protection key of `quic`, for stacks that
 * apply masks themselves. Of the first byte, only the five bits that QUIC uses are computed.
 *
 * kasoku_quic_unmask() unmasks only as many bytes of the packet number as the unmasked first byte announces. So this
 * function calls it twice, on the shortest packet that contains the sample, with zeros before the sample. The first
 * call reveals the mask's first byte. The second call passes a first byte that unmasks to a packet number of four
 * bytes, and so reveals the others. (Two calls always, because the time must not depend on the length of a packet
 * number, section 9.5.)
 */
static int header_mask(const kasoku_quic *quic, const uint8_t sample[SAMPLE_LEN], uint8_t mask[MASK_LEN])
{
    uint8_t packet[MASK_LEN + SAMPLE_LEN] = {0};
    uint8_t first_byte;
    uint64_t number;
    size_t pn_len;
    int code;

    memcpy(packet + MASK_LEN, sample, SAMPLE_LEN);
    code = kasoku_quic_unmask(quic, 0, packet, 1, sizeof packet, &number, &pn_len);
    if (code != KASOKU_OK)
        return code;
    first_byte = (uint8_t)(~packet[0] & 0x03);
    memset(packet, 0, MASK_LEN);
    packet[0] = first_byte;
    code = kasoku_quic_unmask(quic, 0, packet, 1, sizeof packet, &number, &pn_len);
    memcpy(mask, packet, MASK_LEN);
    mask[0] ^= first_byte;
    return code;
}

#endif
