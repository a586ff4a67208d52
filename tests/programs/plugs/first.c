/* A library for tests/programs/libraries.c; second.c has the same shape and other answers. */
static int state = 1;

int plug_answer(int n)
{
    for (int i = 0; i < n; i++)
        state = state * 31 + 7;
    return state;
}

__attribute__((constructor)) static void plug_start(void)
{
    state = 11;
}
