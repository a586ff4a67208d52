/* What ends with a thread: values of keys with destructors, thread-local objects, robust mutexes.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_key_t first, second;
static pthread_mutex_t robust;
static atomic_ulong destroyed;
static _Thread_local char block[3000];

static void destroy(void *value)
{
    destroyed += (unsigned long)value;
    if ((unsigned long)value % 3 == 0) /* comes back: destructors run in rounds */
        pthread_setspecific(second, (void *)((unsigned long)value + 1));
}

static void *run(void *n)
{
    pthread_setspecific(first, n);
    pthread_setspecific(second, (void *)((unsigned long)n * 2));
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (char)(i * (unsigned long)n);
    if ((unsigned long)n % 50 == 7)
        pthread_mutex_lock(&robust); /* and never unlocks it */
    return (void *)(unsigned long)(unsigned char)block[(unsigned long)n % sizeof block];
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    pthread_key_create(&first, destroy);
    pthread_key_create(&second, destroy);
    unsigned long sum = 0, orphaned = 0;
    for (unsigned long n = 1; n < 500; n++) {
        pthread_t id;
        void *result;
        if (pthread_create(&id, NULL, run, (void *)n))
            abort();
        pthread_join(id, &result);
        sum += (unsigned long)result;
        if (n % 50 == 7) {
            orphaned += pthread_mutex_lock(&robust) == EOWNERDEAD;
            pthread_mutex_consistent(&robust);
            pthread_mutex_unlock(&robust);
        }
    }
    printf("%lu destroyed, %lu, %lu orphaned\n", (unsigned long)destroyed, sum, orphaned);
    return 0;
}
