/* Runs a fuzz harness over its stored corpus: CORPUS is the folder. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *name)
{
    static uint8_t data[1 << 20];
    char path[512];
    snprintf(path, sizeof path, "%s/%s", CORPUS, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    /* Printed first, so that the last line names the input that killed us. */
    printf("%s\n", path);
    fflush(stdout);
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        return 1;
    for (size_t i = 0; i < size; i++)
        exact[i] = data[i];
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

int main(void)
{
    struct dirent **names;
    int n = scandir(CORPUS, &names, NULL, alphasort), replayed = 0, failed = 0;
    if (n < 0) {
        perror(CORPUS);
        return 1;
    }
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.') {
            failed |= replay(names[i]->d_name);
            replayed++;
        }
        free(names[i]);
    }
    free(names);
    printf("%d inputs\n", replayed);
    return failed || !replayed;
}
