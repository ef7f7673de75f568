/* version.c - the version that the public header states. */
#include "meshwright/meshwright.h"

#include "base/status.h"

MW_API const char *mw_version(void)
{
    return MW_VERSION;
}
