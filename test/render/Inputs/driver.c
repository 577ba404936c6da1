/* Runs a program that `teeny-translate --to=c` wrote, which is included as PROGRAM with the entry
 * ENTRY: `driver MODES DIM... < inputs > outputs`, the buffers one after the other as their bytes.
 * MODES has an `i` or an `o` for each buffer.
 */
#include <stdio.h>
#include <stdlib.h>

#include PROGRAM

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

int main(int argc, char **argv) {
    int64_t dims[8] = {0};
    void *buffers[64] = {0};
    const int64_t count = JOIN(ENTRY, _buffer_count)();
    if (argc < 2 || argc - 2 != JOIN(ENTRY, _dim_count)() || argc > 10 || count > 64) return 2;
    for (int i = 2; i < argc; ++i) dims[i - 2] = strtoll(argv[i], NULL, 10);
    for (int64_t i = 0; i < count; ++i) {
        const size_t size = (size_t)JOIN(ENTRY, _buffer_bytes)(i, dims);
        buffers[i] = malloc(size);
        if (size > 0 && buffers[i] == NULL) return 3;
        if (argv[1][i] == 'i' && fread(buffers[i], 1, size, stdin) != size) return 4;
    }
    const size_t arena_size = ((size_t)JOIN(ENTRY, _arena_bytes)(dims) + 63) / 64 * 64;
    void *arena = aligned_alloc(64, arena_size);
    ENTRY(buffers, dims, arena);
    for (int64_t i = 0; i < count; ++i) {
        const size_t size = (size_t)JOIN(ENTRY, _buffer_bytes)(i, dims);
        if (argv[1][i] == 'o' && fwrite(buffers[i], 1, size, stdout) != size) return 5;
        free(buffers[i]);
    }
    free(arena);
    return 0;
}
