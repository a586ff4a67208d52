/* The other library for tests/programs/libraries.c. */
static int state = 1;

int plug_answer(int n)
{
    for (int i = 0; i < n; i++)
        state = state * 37 + 5;
    return state;
}

__attribute__((constructor)) static void plug_start(void)
{
    state = 13;
}
