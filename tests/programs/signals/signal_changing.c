/* One thread raises signals while another changes what is done with them: each is handled, or
 * ignored, or does what it does by default, which is nothing for these. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { LEAST = 60000, MOST = 400000 };
static const int raised[] = {SIGWINCH, SIGURG, SIGCHLD};
enum { RAISED = sizeof raised / sizeof raised[0] };
static atomic_bool over;
static atomic_uint handled, once;

static void on_signal(int signal)
{
    (void)signal;
    handled++;
}

static void on_once(int signal)
{
    (void)signal;
    once++;
}

static void *changes(void *unused)
{
    struct sigaction ways[] = {{.sa_handler = on_signal},
                               {.sa_handler = SIG_IGN},
                               {.sa_handler = on_once, .sa_flags = (int)SA_RESETHAND},
                               {.sa_handler = SIG_DFL}};
    for (unsigned i = 0; !over; i++)
        sigaction(raised[i / 4 % RAISED], &ways[i % 4], NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, changes, NULL);
    for (int i = 0; i < LEAST || (i < MOST && !(handled && once)); i++)
        raise(raised[i % RAISED]);
    over = true;
    pthread_join(thread, NULL);
    printf("%s\n", handled && once ? "handled by both" : "one was never handled");
    return 0;
}
