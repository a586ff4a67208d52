/* The main thread ends; the process goes on in others, and its status is what the last of them
 * says. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_t main_thread;

static void at_end(void)
{
    puts("at the end");
}

static void *goes_on(void *unused)
{
    (void)unused;
    void *result;
    if (pthread_join(main_thread, &result))
        abort();
    printf("main ended with %ld\n", (long)result);
    unsigned long sum = 1;
    for (int i = 0; i < 20000000; i++)
        sum = sum * 31 + (unsigned)i;
    printf("%lx\n", sum);
    exit(9);
}

static void cleanup(void *text)
{
    puts(text);
}

int main(void)
{
    pthread_t id;
    main_thread = pthread_self();
    atexit(at_end);
    pthread_create(&id, NULL, goes_on, NULL);
    pthread_cleanup_push(cleanup, "main was cleaned up");
    pthread_exit((void *)42);
    pthread_cleanup_pop(0);
}
