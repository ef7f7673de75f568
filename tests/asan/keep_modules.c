/* keep_modules.c - under the address sanitizer modules stay loaded.
 *
 * OpenMPI unloads its modules before the leak check, which then cannot tell
 * whose memory it found; with them loaded tools/lsan.txt can name them. */
#include <dlfcn.h>

__attribute__((visibility("default"))) int dlclose(void *module)
{
    (void)module;
    return 0;
}
