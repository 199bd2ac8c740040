#include "text/char_class.hpp"

#include "base/utf8.hpp"

#include <algorithm>

namespace cadre::text {
namespace {

// Unicode 17.0 from U+0000 to U+10FFFF, run by run: how many characters (none: one) and their class, by its letter in class_of().
// Whether each is right is asked of Node in tests/conformance/tokens_judge_test.mjs. Our own table, and not a library's: what is
// a letter must not depend on the machine.
constexpr std::string_view kRuns =
    "9osr2sr18os15o10n7o26u6o26l10os26os9oa7o2nol3onao3no23uo7u24lo8lulululululululululululululululululululululululul"
    "ulululu2lulululululululu2lululululululululululululululululululululululul2ululu3l2ulul2ul3u2l4ul2ul3u3l2ul2ululul"
    "2ulu2lul2ul3ulul2u2lau3l4a2ul2ul2ululululululululu2lululululululululu2l2ulul3ulululululululululululululululululu"
    "lulululululululululululu7l2ul2u2lul4ululululu69l2a26l18a4o12a14o5a7oaoa17o112mululaoul2oa3lou6ouo3uouo2ul17uo9u"
    "35lu2l3u3lulululululululululululu5luloul2u2l51u48lulululululululululululululululululo7mululululululululululululu"
    "lulululululululululululululul2ululululululu2lulululululululululululululululululululululululululululululululululu"
    "lululululululululululululululo38u2oa6o41l8o45momo2mo2mom8o27a4o4a29o11m5o43a21m10n4o2am99aoa7m2o6m2a2mo4m2a10n3a"
    "2oa16oam30a27m2o89a11ma14o10n33a9m2a4oa2om2o22a4ma9ma3ma5m18o25a3m4o11a5o24ao7a7o9m42a24mo33m54a3ma18ma7m10a2m2o"
    "10no16a3mo8a2o2a2o22ao7aoa3o4a2oma7m2o2m2o3ma8om4o2ao3a2m2o10n2a2o6n2oaom2o3mo6a4o2a2o22ao7ao2ao2ao2a2omo5m4o2m"
    "2o3m3om7o4aoa7o10n2m3am11o3mo9ao3ao22ao7ao2ao5a2oma8mo3mo3m2oa15o2a2m2o10n9oa6mo3mo8a2o2a2o22ao7ao2ao5a2oma7m2o"
    "2m2o3m7o3m4o2ao3a2m2o10noa6n10omao6a3o3ao4a3o2aoao2a3o2a3o3a3o12a4o5m3o3mo4m2oa6om14o13n13o5m8ao3ao23ao16a2oma7m"
    "o3mo4m7o2mo3ao2a2o2a2m2o10n8o7noa3mo8ao3ao23ao10ao5a2oma7mo3mo4m7o2m5o3ao2a2m2o10no2am12o4m9ao3ao41a2ma7mo3mo4ma"
    "5o3am7n3a2m2o19no6ao3mo18a3o24ao9aoa2o7a3om4o6momo8m6o10n2o2m13o48am2a7m5o7a8mo10n39o2aoao5ao24aoao10am2a9ma2o5a"
    "oao7mo10n2o4a32oa23o2m6o20nomomom4o2m8ao36a4o20mo2m5a11mo36m9om57o43a20ma10n6o6a4m4a3ma3m2a7m3a4m13a12mam10n4m2o"
    "38uou5ou2o43loa3l329ao4a2o7aoao4a2o41ao4a2o33ao4a2o7aoao4a2o15ao57ao4a2o67a2o3m9o20n3o16a16o86u2o6l3o620a2o17as"
    "26a5o75a3o3n8a7o18a4m9o19a3m11o18a2m12o13ao3ao2m12o52a32m3oa4oam2o10n6o10n17o3mom10n6o89a7o5a2m34ama5o70a10o31ao"
    "12m4o12m10o10n30a2o5a11o44a4o26a6o11n37o23a5m4o53a10mo29m2om10n6o10n13oa8o46m2o12m20o5m47a17m8a3o10n17o9m12o3m"
    "30a13m2a10n44a14m12o36a20m8o10n3o3a10n36a2o9lul5o43u2o3u16o3mo21m4am6am2a3ma5o44l63a13la34l37a64mulululululululu"
    "lulululululululululululululululululululululululululululululululululululululululululululululululululululululululu"
    "lululululululululululu9lulululululululululululululululululululululululululululululululululululululululululululul"
    "ululululu9l8u6l2o6u2o8l8u8l8u6l2o6u2o8louououou8l8u14l2o8l8u8l8u8l8u5lo2l5uol3o3lo2l5u3o4l2o2l4u4o8l5u5o3lo2l5u"
    "3o11s29o2s5os47os16ona2o6n5oa10n6o13a51o33m17ou4ou2ol3u2l3ulou3o5u6ouououo4uol4ul4al2o2l2u5ou4l4olo51nul5n726o"
    "60n78o22n630o30n1132o48u48lul3u2lululul4ulu2lu6l2a3ululululululululululululululululululululululululululululululu"
    "lululululululululululululululululululu2l6oulul3mul9on2o38lol5ol2o56a7oa15om23a9o7ao7ao7ao7ao7ao7ao7ao7ao32m47oa"
    "464os4o2an25o9n6mo5a2o3n2a4o86a2o2m2o3ao90ao4a5o43ao94a3o4n10o32a48o16a32o10n30o8no15n32o10n39o15n320o6592a64o"
    "22157a67o46a2o269a3o16a10n2a20oululululululululululululululululululululululula4mo10moaululululululululululululul"
    "ul2a2m70a10n2m37o9a2oululululululu3lululululululululululululululululululululululululululululululula8lulul2ululul"
    "ulula2oululaulu3lulululululululululul5ul5ulululululululul4ulul2ululululululululu20o4aul3al7am3am4am23a5m4om3o6n"
    "10o52a12o2m50a18m10o10n6o18m6a3oao2am10n28a8m2o23a13m12o29a3o4m47a14m14oa10n6o5am10a10n5ao41a14m9o3am8a2m2o10n6o"
    "23a3oa3m50ama3m2a2m5a2mama24o3a2o11a5m2o3a2m10o6a2o6a2o6a9o7ao7ao43lo4a9la6o80l35a8mo2m2o10n6o11172a12o23a4o49a"
    "8452o366a2o106a38o7l12o5l5oam10ao13ao5aoao2ao2ao108a33o363a18o64a2o54a40o12a4o16m16o16m64o5ao135a19o10n7o26u6o"
    "26l11o89a3o6a2o6a2o6a2o3a35o12ao26ao19ao2ao15a2o14a34o123a12o45n12o57n17o2n113om130o29a3o49a15om27n4o32a4n9o20an"
    "8an5o38a5m5o30a2o36a4o8ao5n42o40u40l78a2o10n6o36u4o36l4o40a8o52a12o11uo15uo7uo2uo11lo15lo7lo2l3o52a12o311a9o22a"
    "10o8a24o6ao42ao9a69o6a2oao44ao2a3oa2o23a2o8n23a2o7n31a8o9n48o19ao2a5o5n22a6n4o26a6o26a38o56a4o2n2a16n2o46na3mo2m"
    "5o4m4ao3ao29a2o3m4om9n23o29a2no29a3n32o8ao28a2m4o5n16o54a10o22a2o8n19a5o8n18a23o7n80o73a55o51u13o51l7o6n36a4m8o"
    "10n6o10n6a22u3o5moa22l218o31no42ao2m3o2a16o6a50o6m29a10na8o22a11m4n27o18a4m42o21a7n20o23a9o3m53a15m11o30nm2a2ma"
    "9o4m45a11m7om13o25a7o10n6o3m36a14mo10n4oa2ma8o35am2oa9o3m48a14m4a4o4mo2m10naoa4o20n11o18ao25a12m6om2am62o7aoao4a"
    "o15ao10a7o47a12m5o10n6o4mo8a2o2a2o22ao7ao2ao5ao2ma7m2o2m2o3m2oa6om5o5a2m2o7m3o5m11o10aoa2oao38aoa9mom2omo4mo5mam"
    "a13o2m29o53a18m4a5o10n4om3a30o48a20m2aoa8o10n166o47a7m2o9m23o4a2m34o48a17m3oa11o10n38o43a13ma7o10n6o20n28o27a2o"
    "15m4o12n4o7a185o44a15m101o32u32l19n12o8a2oa2o8ao2ao24a6mo2m2o4mama2m12o10n70o8a2o39a7m2o7maoam27oa10m40a7ma4m8om"
    "8oa11m46a16m3oa18o73a103o8m88o33a15o10n6o9ao37a8mo8ma15o29n5o30a2o22mo14m73o7ao2ao38a6m3omo2mo7mam8o10n6o6ao2ao"
    "32a5mo2mo5ma7o10n6o44a4o10n246o19a4m9o2mam13ao34a7m3o5m13o10nm85oa15o21n43o922a102o111n17o196a2636o97a15o1072a"
    "16om6a15m10o3995a5o583a6841o30a18m10n1734o569a7o31ao10n6o79ao10n6o30a2o5m11o48a7m9o4a12o10no7no21a5o19a432o45a3o"
    "10n198o32u32l23n9o25u2o25l44o75a4oma55m7o4m13a64o2aoam11o2m2a3n9o7382a41o32a97o115a8701o4ao7ao2ao291a15oa29o3a2o"
    "a14o4a8o396a2308o107a5o13a3o9a7o10a3o2m4177o10n518o46m2o23m542o5m3o6m8o8m2o7m30o4m148o3m123o20n12o20n108o25n135o"
    "26u26l26u7lo18l26u26luo2u2ou2o2u2o4uo8u4lolo7lo11l26u26l2uo4u2o8uo7uo26l2uo4uo5uou3o7uo26l26u26l26u26l26u26l26u"
    "26l26u26l26u28l2o25uo25lo6l25uo25lo6l25uo25lo6l25uo25lo6l25uo25lo6lul2o50n512o55m4o50m8om14om22o5mo15m1104o10la"
    "20l6o6l213o7mo17m2o7mo2mo5m5o62a33om112o45a3o7m7a2o10n4oa321o30am17o44a4m10n470o28a4m10n214o30a2ma10n197o31ao3am"
    "2am7a2m5am8o2a224o7ao4ao2ao15ao197a2o9n7m41o34u34l7ma4o10n791o59no3no4n76o45no15n194o4ao27ao2aoa2oao10ao4aoaoa6o"
    "a4oaoaoao3ao2aoa2oaoaoaoaoao2aoa2o4ao7ao4ao4aoao10ao17a5o3ao5ao17a580o13n2787o10n1030o42720a32o4382a2o5774a2o"
    "7473a15o622a2466o542a1506o4939a5o8490a707718o240m196112o";

CharClass class_of(char letter)
{
    switch (letter) {
    case 's': return CharClass::space;
    case 'r': return CharClass::newline;
    case 'u': return CharClass::upper;
    case 'l': return CharClass::lower;
    case 'a': return CharClass::letter;
    case 'm': return CharClass::mark;
    case 'n': return CharClass::number;
    default: return CharClass::other;
    }
}

/// `character` is valid and has more than one byte.
char32_t code_point(std::string_view character)
{
    constexpr unsigned char kLead[] = {0, 0, 0x1F, 0x0F, 0x07};
    char32_t code = static_cast<unsigned char>(character[0]) & kLead[character.size()];
    for (const char c : character.substr(1)) code = (code << 6) | (static_cast<unsigned char>(c) & 0x3F);
    return code;
}

}  // namespace

const CharClasses& CharClasses::table()
{
    static const CharClasses classes;
    return classes;
}

CharClasses::CharClasses()
{
    char32_t at = 0;
    char32_t length = 0;
    for (const char c : kRuns) {
        if (c >= '0' && c <= '9') {
            length = length * 10 + static_cast<char32_t>(c - '0');
            continue;
        }
        const char32_t end = at + std::max<char32_t>(length, 1);
        for (char32_t code = at; code < std::min<char32_t>(end, low_.size()); ++code) low_[code] = class_of(c);
        if (end > low_.size()) high_.push_back({at, class_of(c)});
        at = end;
        length = 0;
    }
}

Character CharClasses::long_character(std::string_view text) const
{
    const std::size_t bytes = utf8_length(text);
    if (bytes == 0) return {CharClass::other, 1};
    const char32_t code = code_point(text.substr(0, bytes));
    const auto length = static_cast<std::uint8_t>(bytes);
    if (code < low_.size()) return {low_[code], length};
    return {std::prev(std::ranges::upper_bound(high_, code, {}, &Run::first))->kind, length};
}

}  // namespace cadre::text
