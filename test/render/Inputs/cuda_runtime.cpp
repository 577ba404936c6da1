// A stand-in of the CUDA runtime for what nvcc makes of a host function: it writes down each launch
// and copies within the host's memory. Kernels do not run.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

struct dim3 { unsigned x, y, z; };

// By the function of the host that launches it the name of each kernel; kernels are registered
// before globals are made.
static std::map<const void *, std::string> &kernels() {
    static std::map<const void *, std::string> names;
    return names;
}

static dim3 grid, block;

extern "C" {
void **__cudaRegisterFatBinary(void *) { static void *handle; return &handle; }
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
void __cudaRegisterFunction(void **, const char *host, char *, const char *name, int, void *, void *,
                            void *, void *, int *) { kernels()[host] = name; }
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int) {}
char __cudaInitModule(void **) { return 0; }
unsigned __cudaPushCallConfiguration(dim3 g, dim3 b, size_t, void *) { grid = g; block = b; return 0; }
int __cudaPopCallConfiguration(dim3 *g, dim3 *b, size_t *shared, void *) {
    *g = grid; *b = block; *shared = 0; return 0;
}
int cudaLaunchKernel(const void *kernel, dim3 g, dim3 b, void **, size_t, void *) {
    printf("%s grid %u %u %u block %u %u %u\n", kernels()[kernel].c_str(), g.x, g.y, g.z, b.x, b.y, b.z);
    return 0;
}
int __cudaLaunchKernel(const void *kernel, dim3 g, dim3 b, void **a, size_t s, void *t) {
    return cudaLaunchKernel(kernel, g, b, a, s, t);
}
int __cudaGetKernel(void **kernel, const void *host) { *kernel = const_cast<void *>(host); return 0; }
int cudaMemcpyAsync(void *to, const void *from, size_t size, int, void *) {
    printf("copy %zu\n", size);
    memcpy(to, from, size);
    return 0;
}
int cudaStreamSynchronize(void *) { printf("wait\n"); return 0; }
int cudaGetSymbolAddress(void **address, const void *symbol) {
    *address = const_cast<void *>(symbol);
    return 0;
}
int cudaGetLastError() { return 0; }

int teeny_main(void *const *buffers, const int64_t *dims, void *arena, void *stream);
int64_t teeny_main_arena_bytes(const int64_t *dims);
}

int main(int, char **arguments) {
    const int64_t dims[] = {arguments[1][0] - '0'};
    alignas(64) static unsigned char memory[3][4096], arena[4096];
    arena[(dims[0] * 4 + 63) / 64 * 64] = arguments[2][0] - '0';  // the condition
    void *buffers[] = {memory[0], memory[1], memory[2]};
    printf("arena %lld\n", (long long)teeny_main_arena_bytes(dims));
    return teeny_main(buffers, dims, arena, nullptr);
}
