#include "text/template/meter.hpp"

#include "base/error.hpp"

namespace cadre::text::tpl {

void Meter::exhausted()
{
    throw Error(Code::limit, "does more than 1,000,000 operations");
}

void Meter::too_many_turns()
{
    throw Error(Code::limit, "its loops turn more than 100,000 times");
}

void Meter::text_too_long()
{
    throw Error(Code::limit, "makes a text of more than 1 MiB");
}

}  // namespace cadre::text::tpl
