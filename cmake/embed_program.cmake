# Writes the bytes of IN as C++ to OUT; called by cadre_embed_program() at build time.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
string(REGEX REPLACE "((\\\\x..)(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?(\\\\x..)?)" "\"\\1\"\n    " bytes "${bytes}")
file(WRITE ${OUT} "#include <string_view>

namespace cadre::${NAMESPACE} {

extern const std::string_view ${SYMBOL};
constexpr char k${SYMBOL}Bytes[] =
    ${bytes};
const std::string_view ${SYMBOL}(k${SYMBOL}Bytes, sizeof k${SYMBOL}Bytes - 1);

}  // namespace cadre::${NAMESPACE}
")
