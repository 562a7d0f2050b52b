/* Encrypts in many processes, each with many threads, and prints the total work. Declares the functions of OpenSSL
 * itself, without headers. OPENSSL_CONF names the configuration with the provider.
 *
 *     counted CHILDREN THREADS CONTEXTS [sandbox]
 *
 * The parent forks while its threads work. With "sandbox", each child allows only the system calls that sshd's sandbox
 * allows (fstat(2) fails), and any other call ends it by a signal.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct cipher EVP_CIPHER;
typedef struct context EVP_CIPHER_CTX;
EVP_CIPHER *EVP_CIPHER_fetch(void *, const char *, const char *);
EVP_CIPHER_CTX *EVP_CIPHER_CTX_new(void);
void EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *);
int EVP_CipherInit_ex(EVP_CIPHER_CTX *, const EVP_CIPHER *, void *, const unsigned char *, const unsigned char *, int);
int EVP_CipherUpdate(EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int);

enum { MESSAGES = 3, BYTES = 100 };

#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);              \
            _exit(1);                                                            \
        }                                                                        \
    } while (0)

static EVP_CIPHER *cipher;
static int contexts;

static void *work(void *unused)
{
    unsigned char key[16] = {1}, iv[12] = {0}, text[BYTES] = {0};
    int context_number, message, out;

    (void)unused;
    for (context_number = 0; context_number < contexts; context_number++) {
        EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
        CHECK(EVP_CipherInit_ex(context, cipher, NULL, key, NULL, 1) == 1);
        for (message = 0; message < MESSAGES; message++) {
            iv[0]++;
            CHECK(EVP_CipherInit_ex(context, NULL, NULL, NULL, iv, 1) == 1);
            CHECK(EVP_CipherUpdate(context, text, &out, text, BYTES) == 1 && out == BYTES);
        }
        EVP_CIPHER_CTX_free(context);
    }
    return NULL;
}

static void work_in_threads(int threads, pthread_t *started)
{
    int thread;
    for (thread = 0; thread < threads; thread++)
        CHECK(pthread_create(&started[thread], NULL, work, NULL) == 0);
}

static void join(int threads, const pthread_t *started)
{
    int thread;
    for (thread = 0; thread < threads; thread++)
        CHECK(pthread_join(started[thread], NULL) == 0);
}

#define NUMBER offsetof(struct seccomp_data, nr)
#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define DENY(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)

static void enter_sandbox(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
        DENY(SYS_fstat),
        DENY(SYS_newfstatat),
        DENY(SYS_openat),
        ALLOW(SYS_brk),
        ALLOW(SYS_clock_gettime),
        ALLOW(SYS_close),
        ALLOW(SYS_exit_group),
        ALLOW(SYS_futex),
        ALLOW(SYS_getpid),
        ALLOW(SYS_getrandom),
        ALLOW(SYS_madvise),
        ALLOW(SYS_mmap),
        ALLOW(SYS_mprotect),
        ALLOW(SYS_mremap),
        ALLOW(SYS_munmap),
        ALLOW(SYS_read),
        ALLOW(SYS_rt_sigprocmask),
        ALLOW(SYS_write),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

int main(int count, char **words)
{
    int children, threads, child, status, in_sandbox;
    pthread_t started[64];

    CHECK(count >= 4);
    children = atoi(words[1]), threads = atoi(words[2]), contexts = atoi(words[3]);
    in_sandbox = count > 4 && strcmp(words[4], "sandbox") == 0;
    CHECK(threads >= 1 && threads <= 64);
    cipher = EVP_CIPHER_fetch(NULL, "AES-128-GCM", "provider=kasoku");
    CHECK(cipher != NULL);
    if (!in_sandbox)
        work_in_threads(threads, started);
    for (child = 0; child < children; child++) {
        pid_t forked = fork();
        CHECK(forked >= 0);
        if (forked > 0)
            continue;
        if (in_sandbox) {
            enter_sandbox();
            work(NULL);
        } else {
            work_in_threads(threads, started);
            join(threads, started);
        }
        exit(0);
    }
    if (in_sandbox)
        work(NULL);
    else
        join(threads, started);
    for (child = 0; child < children; child++)
        CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (in_sandbox)
        threads = 1;
    printf("%ld contexts\n", (long)(children + 1) * threads * contexts);
    return 0;
}
