// Dialects that are lines of text: SMS, WhatsApp, and an e-mail's plain form.
#pragma once

#include "text/channel/dialect.hpp"

#include <memory>

namespace cadre::text {

std::unique_ptr<Dialect> make_sms(const ChannelRules& rules);
std::unique_ptr<Dialect> make_whatsapp(const ChannelRules& rules);
std::unique_ptr<Dialect> make_mail(const ChannelRules& rules);

}  // namespace cadre::text
