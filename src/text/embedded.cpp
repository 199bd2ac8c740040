#include "text/embedded.hpp"

#ifdef CADRE_VOCABULARIES  // the folder where the build has prepared them

// .incbin: the assembler copies the file; a C++ array of two million numbers would take the compiler many seconds.
#define CADRE_EMBED(name)                                                                                              \
    __asm__(".pushsection .rodata\n.balign 8\n.globl cadre_" #name "\n.hidden cadre_" #name "\ncadre_" #name           \
            ":\n.incbin \"" CADRE_VOCABULARIES "/" #name ".tokens\"\n.globl cadre_" #name "_end\n.hidden cadre_" #name \
            "_end\ncadre_" #name "_end:\n.popsection\n");                                                              \
    extern "C" __attribute__((visibility("hidden"))) const char cadre_##name[];                                        \
    extern "C" __attribute__((visibility("hidden"))) const char cadre_##name##_end[];

CADRE_EMBED(o200k_base)
CADRE_EMBED(cl100k_base)

namespace cadre::text {

std::string_view embedded(Encoding encoding)
{
    if (encoding == Encoding::o200k_base) return {cadre_o200k_base, cadre_o200k_base_end};
    return {cadre_cl100k_base, cadre_cl100k_base_end};
}

}  // namespace cadre::text

#else

namespace cadre::text {

std::string_view embedded(Encoding)
{
    return {};
}

}  // namespace cadre::text

#endif
