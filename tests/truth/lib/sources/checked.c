/* Right, or wrong as told, for builds with sanitizers. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;
static void *add(void *by)
{
    for (int i = 0; i < 1000; i++)
        __atomic_fetch_add(&shared, *(int *)by, __ATOMIC_RELAXED);
    return NULL;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "right";
    int *a = malloc(100 * sizeof *a), one = 1, sum = 0;
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, add, &one);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 100; i++)
        a[i] = i * 7919 % 101;
    for (int k = 0; k < 20000; k++)
        for (int i = 0; i < 100; i++)
            sum = (sum * 31 + a[i]) & 0xffffff;
    printf("%d %d\n", shared, sum);
    fflush(stdout);
    if (!strcmp(how, "beyond"))
        a[argc + 98] = 5;
    if (!strcmp(how, "freed")) {
        free(a);
        printf("%d\n", a[argc]);
    }
    if (!strcmp(how, "overflow"))
        printf("%d\n", INT_MAX - 2 + argc + argc);
    if (!strcmp(how, "unset")) {
        int *b = malloc(16);
        if (b[argc])
            printf("set\n");
    }
    return 0;
}
