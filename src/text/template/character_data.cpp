#include "text/template/character_data.hpp"

// Written by tests/conformance/make_character_data.py.
// clang-format off
namespace cadre::text::tpl {
namespace {

constexpr std::uint8_t kProperties[] = {0, 1, 3, 2, 130, 54, 94, 30, 128, 6, 146, 158, 134, 18, 22, 154, 26, 66, 150};

constexpr std::string_view kRuns =
    "9a5b14a4bc6de6ded10fe6d26g3dehe26g4d6ab26ab7dedg2dide2d2jegdkejgd3jd23gd31gd195gh4g4h208gh27g18l4e12l14e5l7elel17e11"
    "2k4gle2g2am3gdg4a2egk3gaga20ga83gd139gd5k2e166ga38g2al5de41g2d2a3da45kdkd2kd2kdk8a27h4a4hde11a6i10d11kdi3d32hl10h21k"
    "10f4d2hk99hdh7kid6k2l2kd4k2h10f3h2dh14daihk30h27k2a89h11kh14a10f33h9k2l4dl2ak2d22h4kl9kl3kl5k2a15da25h3k2ada11h5a24h"
    "e6ha2i6a8k41hl24ki32kn54hknkh3n8k4nk2nh7k10h2k2d10fdl15hk2na8h2a2h2a22ha7hah3a4h2akh3n4k2a2n2a2nkh8an4a2ha3h2k2a10f2"
    "h2d6j2dhdk2a2kna6h4a2h2a22ha7ha2ha2ha2h2aka3n2k4a2k2a3k3ak7a4hah7a10f2k3hkd10a2kna9ha3ha22ha7ha2ha5h2akh3n5ka2kna2nk"
    "2ah15a2h2k2a10f2d7ah6kak2na8h2a2h2a22ha7ha2ha5h2akhnkn4k2a2n2a2nk7a2kn4a2ha3h2k2a10fdh6j10akha6h3a3ha4h3a2haha2h3a2h"
    "3a3h3a12h4a2nk2n3a3na3nk2ah6an14a10f3j8d5ak3nk8ha3ha23ha16h2akh3k4na3ka4k7a2ka3h2ah2a2h2k2a10f7ad7jdhk2nd8ha3ha23ha1"
    "0ha5h2akhnk5nak2na2n2k7a2n6a2ha2h2k2a10fa2h13a2k2n9ha3ha41h2kh3n4ka3na3nkhd4a3hn7j3h2k2a10f9jd6hak2na18h3a24ha9hah2a"
    "7h3ak4a3n3kaka8n6a10f2a2nd12a48hkho7k4ad6hl8kd10f2d37a2haha5ha24haha10hkho9kh2a5hala6k2a10f2a4h32ah23d2k6d10f10jdkdk"
    "dk4d2n8ha36h4a14kn5kd2k5h11ka36ka8dk6da13d37a43h2n4kn6kn2k2n2kh10f6d6h2n2k4h3kh3n2h7n3h4k13hk2n2k6nkhn10f3nk2d38gag5"
    "ag2a43gdl3g329ha4h2a7haha4h2a41ha4h2a33ha4h2a7haha4h2a15ha57ha4h2a67h2a3k9d9o11j3a16h10d6a86g2a6g2ad620h2d17hb26h2d3"
    "a75h3d11h7a18h3kn9a19h2kn2d9a18h2k12a13ha3ha2k12a52h2kn7k8nk2n11k3dl4dhk2a10f6a10j6a11d3kik10f6a35hl53h7a5h2p34hkh5a"
    "70h10a31ha3k4n2k3n4a2nk6n3k4ad3a2d10f30h2a5h11a44h4a26h6a10fo3a34d23h2k2nk2a2d53hnkn7kaknk2n8k6n10k2ak10f6a10f6a7dl6"
    "d2a14ke16k49a4kn47hkn5knk5nk2n8h3a10f17d9k11da2kn30hn4k2n2kn3k2h10f44hkn2k3nkn3k2n8a4d36h8n8k2n2k3a5d10f3a3h10f30h6l"
    "2d9g7a43g2a3g8d8a3kd13kn7k4hk6hk2hn2kh5a44g63l13gl34g37l64k278g2a6g2a38g2a6g2a8gagagaga31g2a53ga7geg3e3ga7g3e4g2a6ga"
    "3e13g3e2a3ga7g2ea11b5i8d2e10de2de2b5ib15d2n19dn10db5ia10ijl2a6j5dl10j5da13l3a33d15a13k4ek3e12k15a2dg4dg2d10gdg2dq5g6"
    "dgdgdgd4gq6g4hg2d4g5d5g4dgd16j32g3h2g4hj2d4a663d25a11d21a60j26d52r22j630d30j992d2a32da105d124g2l103g6d4g3k2g5a4dj2d3"
    "8gag5ag2a56h7ald14ak23h9a7ha7ha7ha7ha7ha7ha7ha7ha32k47dm46d34a26da89d12a214d26a12d4ab4dl2h25d9h4k2nd5l2d3hlh3da86h2a"
    "2k2e2lhd90hd3lh5a43ha94ha2d4j10d32h36d12a16h31da10j30d8jd15j32d10j39d15j320d6592h64d21013hl1143h3a55d9a40h6l2d268hl3"
    "d16h10f2h20a46ghk3ed10kdl28g2l2k80h2k6d8a23e9l2e78gl23gl2e4gh59g5a2gaga5g24a3l2gh2lg7hk3hk4hk23h2n2kn4dk3a6j4d6a52h4"
    "d8a2n50h16n2k8a2d10f6a18k6h3dhd2hk10f28h8k2d23h11k2n11ad29h3a3kn47hk2n4k2n2k3n13dal10f4a2d5hkl9h10f5ha41h6k2n2k2n2k9"
    "a3hk8hkn2a10f2a4d16hl6h3dhnkn50hkh3k2h2k5h2khkh24a2hl2d11hn2k2n2dh2lnk10a6h2a6h2a6h9a7ha7ha43ge4l9gl2e4a80g35h2nk2nk"
    "2ndnk2a10f6a11172h12a23h4a49h8452a366h2a106h38a7g12a5g5ahk10hd13ha5haha2ha2ha108h17e16a139h6j218h18d64h2a54h7ad32a10"
    "h2j4d16k3de6d6a16k3d2n24d3n2deade17da4d4ajhjhjajhjhjhjhj126h2aia6de6ded10fe6d26g3dene26g11d10hl45h2s31h3a6h2a6h2a6h2"
    "a3h3a3de3da7d10a3i2d2a12ha26ha19ha2ha15h2a14h34a123h5a3d4a45j3a9d53h4j17d2j3da13d3ad47a45dk130a29h3a49h15ak27j4a32h4"
    "j9a30h5a38h5k5a30had36h4a8hd5h42a80g78h2a10f6a36g4a36g4a40h8a52h11ad11ga15ga7ga2ga11ga15ga7ga2g67a311h9a22h10a8h24a6"
    "la42la9l69a6h2aha44ha2h3ah2a23had8j23h2d7j31h8a9j48a19ha2h5a5j22h6j3ad26h5ad64a56h4a2j2h16j2a46jh3ka2k5a4k4ha3ha29h2"
    "a3k4ak9j7a9d7a29h2jd29h3j32a8hd28h2k4a5j7d9a54h3a7d22h2a8j19h5a8j18h7a4d12a7j80a73h55a51g13a51g7a6j36h4k8a10f294a31j"
    "a42ha2kd2a2h78a29h10jh8a22h11k4j5d22a18h4k4d38a21h7j20a23h9ankn53h15k7d4a20j10fk2h2kh9a3kn45h3n4k2n2k2di4dk10ai2a25h"
    "7a10f6a3k36h5kn8ka10f4dh2nh8a35hk2dh9a2kn48h3n9k2n4h4d4kdnk10fhdh3da20j11a18ha25h3n3k2nkn2k6dk65a7haha4ha15ha10hd6a4"
    "7hk3n8k5a10f6a2k2na8h2a2h2a22ha7ha2ha5ha2kh2nk4n2a2n2a3n2ah6an5a5h2n2a7k3a5k139a53h3n8k2n3knk4h5d10f2dadk3h30a48h3n6"
    "knk4n2kn2k2hdh8a10f166a47h3n4k2a4n2kn2k23d4h2k34a48h3n8k2nkn2k3dh11a10f6a13d19a43hknk2n6knkhd6a10f54a27h2a3k2n4kn5k4"
    "a10f2j4d7h185a44h3n9kn2kd100a64g10f9j12a8h2ah2a8ha2ha24h6na2n2a2knkhnhnk3d9a10f70a8h2a39h3n4k2a2k4nkhdhn27ah10k40h6k"
    "nh4k8dk8ah6k2n3k46h13kn2k3dh5d13a73h263a9ha37hn7ka6knkh5d10a10f19j3a2d30h2a22kan7kn2kn2k73a7ha2ha38h6k3aka2ka7khk8a1"
    "0f6a6ha2ha32h5na2ka2nknkh7a10f310a19h2k2n2d183ah15a21j29d13ad922h102a111ha5d11a196h2636a97h2d13a1071ha9i4039a583h863"
    "3a569h7a31ha10f4a2d79ha10f6a30h2a5kd10a48h7k9d4l2d10a10fa7ja21h5a19h688a64g23j4d101a75h4akh55n7a4k13l64a2ldlk11a2n14"
    "a6136h8a1238h42a9h8935a4la7la2la291h45a3h17a4h8a396h2308a107h5a13h3a9h7a10h2ad2kd4i4700a46k2a23k9a116d60a246d10a39d2"
    "a60d2n3k3d6n8i8k2d7k30d4k61d21a66d3kd154a20j12a87d9a25j135a85ga71ga2g2ag2a2g2a4ga12gaga7ga65ga4g2a8ga7ga28ga4ga5gag3"
    "a7ga340g2a25gd25gd31gd25gd31gd25gd31gd25gd31gd25gd8g2a50f512d55k4d50k8dk14dk7d15a5ka15k1104a10gh20g225a7ka17k2a7ka2k"
    "a5k213a45h3a7k7l2a10f4ahd320a30hk17a44h4k10f5ad1248a7ha4ha2ha15ha197h2a9j7k41a68g7kl4a10f4a2d785a59jd3jd4j76a45jd15j"
    "194a4ha27ha2hah2aha10ha4hahah6ah4ahahaha3ha2hah2ahahahahaha2hah2a4ha7ha4ha4haha10ha17h5a3ha5ha17h52a2d270a44d4a100d1"
    "2a15d2a15da15da37d10a13j35d26r6d26r6d26r36d56a29d13a44d4a9d7a2d14a6d154a251d5e728d5a16d3a13d3a116d12a89d7a12d4ad15a1"
    "2d4a56d8a10d6a40d8a30d2a2d78a340d12a14d2a5d3a5d3a7d9a29d3a11d5a6d10a10d6a8d8a7d9a147da55d37a10f1030a42720h32a4153h7a"
    "222h2a5762h14a7473h3103a542h1506a4939h715958ai30a96i128a240k196112a";

constexpr CaseRun kUpper[] = {
    {0x61, 0x7A, 1, -32}, {0xB5, 0xB5, 1, 743}, {0xE0, 0xF6, 1, -32}, {0xF8, 0xFE, 1, -32}, {0xFF, 0xFF, 1, 121},
    {0x101, 0x12F, 2, -1}, {0x131, 0x131, 1, -232}, {0x133, 0x137, 2, -1}, {0x13A, 0x148, 2, -1},
    {0x14B, 0x177, 2, -1}, {0x17A, 0x17E, 2, -1}, {0x17F, 0x17F, 1, -300}, {0x180, 0x180, 1, 195},
    {0x183, 0x185, 2, -1}, {0x188, 0x188, 1, -1}, {0x18C, 0x18C, 1, -1}, {0x192, 0x192, 1, -1}, {0x195, 0x195, 1, 97},
    {0x199, 0x199, 1, -1}, {0x19A, 0x19A, 1, 163}, {0x19E, 0x19E, 1, 130}, {0x1A1, 0x1A5, 2, -1},
    {0x1A8, 0x1A8, 1, -1}, {0x1AD, 0x1AD, 1, -1}, {0x1B0, 0x1B0, 1, -1}, {0x1B4, 0x1B6, 2, -1}, {0x1B9, 0x1B9, 1, -1},
    {0x1BD, 0x1BD, 1, -1}, {0x1BF, 0x1BF, 1, 56}, {0x1C5, 0x1C5, 1, -1}, {0x1C6, 0x1C6, 1, -2}, {0x1C8, 0x1C8, 1, -1},
    {0x1C9, 0x1C9, 1, -2}, {0x1CB, 0x1CB, 1, -1}, {0x1CC, 0x1CC, 1, -2}, {0x1CE, 0x1DC, 2, -1},
    {0x1DD, 0x1DD, 1, -79}, {0x1DF, 0x1EF, 2, -1}, {0x1F2, 0x1F2, 1, -1}, {0x1F3, 0x1F3, 1, -2},
    {0x1F5, 0x1F5, 1, -1}, {0x1F9, 0x21F, 2, -1}, {0x223, 0x233, 2, -1}, {0x23C, 0x23C, 1, -1},
    {0x23F, 0x240, 1, 10815}, {0x242, 0x242, 1, -1}, {0x247, 0x24F, 2, -1}, {0x250, 0x250, 1, 10783},
    {0x251, 0x251, 1, 10780}, {0x252, 0x252, 1, 10782}, {0x253, 0x253, 1, -210}, {0x254, 0x254, 1, -206},
    {0x256, 0x257, 1, -205}, {0x259, 0x259, 1, -202}, {0x25B, 0x25B, 1, -203}, {0x25C, 0x25C, 1, 42319},
    {0x260, 0x260, 1, -205}, {0x261, 0x261, 1, 42315}, {0x263, 0x263, 1, -207}, {0x265, 0x265, 1, 42280},
    {0x266, 0x266, 1, 42308}, {0x268, 0x268, 1, -209}, {0x269, 0x269, 1, -211}, {0x26A, 0x26A, 1, 42308},
    {0x26B, 0x26B, 1, 10743}, {0x26C, 0x26C, 1, 42305}, {0x26F, 0x26F, 1, -211}, {0x271, 0x271, 1, 10749},
    {0x272, 0x272, 1, -213}, {0x275, 0x275, 1, -214}, {0x27D, 0x27D, 1, 10727}, {0x280, 0x280, 1, -218},
    {0x282, 0x282, 1, 42307}, {0x283, 0x283, 1, -218}, {0x287, 0x287, 1, 42282}, {0x288, 0x288, 1, -218},
    {0x289, 0x289, 1, -69}, {0x28A, 0x28B, 1, -217}, {0x28C, 0x28C, 1, -71}, {0x292, 0x292, 1, -219},
    {0x29D, 0x29D, 1, 42261}, {0x29E, 0x29E, 1, 42258}, {0x345, 0x345, 1, 84}, {0x371, 0x373, 2, -1},
    {0x377, 0x377, 1, -1}, {0x37B, 0x37D, 1, 130}, {0x3AC, 0x3AC, 1, -38}, {0x3AD, 0x3AF, 1, -37},
    {0x3B1, 0x3C1, 1, -32}, {0x3C2, 0x3C2, 1, -31}, {0x3C3, 0x3CB, 1, -32}, {0x3CC, 0x3CC, 1, -64},
    {0x3CD, 0x3CE, 1, -63}, {0x3D0, 0x3D0, 1, -62}, {0x3D1, 0x3D1, 1, -57}, {0x3D5, 0x3D5, 1, -47},
    {0x3D6, 0x3D6, 1, -54}, {0x3D7, 0x3D7, 1, -8}, {0x3D9, 0x3EF, 2, -1}, {0x3F0, 0x3F0, 1, -86},
    {0x3F1, 0x3F1, 1, -80}, {0x3F2, 0x3F2, 1, 7}, {0x3F3, 0x3F3, 1, -116}, {0x3F5, 0x3F5, 1, -96},
    {0x3F8, 0x3F8, 1, -1}, {0x3FB, 0x3FB, 1, -1}, {0x430, 0x44F, 1, -32}, {0x450, 0x45F, 1, -80},
    {0x461, 0x481, 2, -1}, {0x48B, 0x4BF, 2, -1}, {0x4C2, 0x4CE, 2, -1}, {0x4CF, 0x4CF, 1, -15},
    {0x4D1, 0x52F, 2, -1}, {0x561, 0x586, 1, -48}, {0x10D0, 0x10FA, 1, 3008}, {0x10FD, 0x10FF, 1, 3008},
    {0x13F8, 0x13FD, 1, -8}, {0x1C80, 0x1C80, 1, -6254}, {0x1C81, 0x1C81, 1, -6253}, {0x1C82, 0x1C82, 1, -6244},
    {0x1C83, 0x1C84, 1, -6242}, {0x1C85, 0x1C85, 1, -6243}, {0x1C86, 0x1C86, 1, -6236}, {0x1C87, 0x1C87, 1, -6181},
    {0x1C88, 0x1C88, 1, 35266}, {0x1D79, 0x1D79, 1, 35332}, {0x1D7D, 0x1D7D, 1, 3814}, {0x1D8E, 0x1D8E, 1, 35384},
    {0x1E01, 0x1E95, 2, -1}, {0x1E9B, 0x1E9B, 1, -59}, {0x1EA1, 0x1EFF, 2, -1}, {0x1F00, 0x1F07, 1, 8},
    {0x1F10, 0x1F15, 1, 8}, {0x1F20, 0x1F27, 1, 8}, {0x1F30, 0x1F37, 1, 8}, {0x1F40, 0x1F45, 1, 8},
    {0x1F51, 0x1F57, 2, 8}, {0x1F60, 0x1F67, 1, 8}, {0x1F70, 0x1F71, 1, 74}, {0x1F72, 0x1F75, 1, 86},
    {0x1F76, 0x1F77, 1, 100}, {0x1F78, 0x1F79, 1, 128}, {0x1F7A, 0x1F7B, 1, 112}, {0x1F7C, 0x1F7D, 1, 126},
    {0x1FB0, 0x1FB1, 1, 8}, {0x1FBE, 0x1FBE, 1, -7205}, {0x1FD0, 0x1FD1, 1, 8}, {0x1FE0, 0x1FE1, 1, 8},
    {0x1FE5, 0x1FE5, 1, 7}, {0x214E, 0x214E, 1, -28}, {0x2170, 0x217F, 1, -16}, {0x2184, 0x2184, 1, -1},
    {0x24D0, 0x24E9, 1, -26}, {0x2C30, 0x2C5F, 1, -48}, {0x2C61, 0x2C61, 1, -1}, {0x2C65, 0x2C65, 1, -10795},
    {0x2C66, 0x2C66, 1, -10792}, {0x2C68, 0x2C6C, 2, -1}, {0x2C73, 0x2C73, 1, -1}, {0x2C76, 0x2C76, 1, -1},
    {0x2C81, 0x2CE3, 2, -1}, {0x2CEC, 0x2CEE, 2, -1}, {0x2CF3, 0x2CF3, 1, -1}, {0x2D00, 0x2D25, 1, -7264},
    {0x2D27, 0x2D27, 1, -7264}, {0x2D2D, 0x2D2D, 1, -7264}, {0xA641, 0xA66D, 2, -1}, {0xA681, 0xA69B, 2, -1},
    {0xA723, 0xA72F, 2, -1}, {0xA733, 0xA76F, 2, -1}, {0xA77A, 0xA77C, 2, -1}, {0xA77F, 0xA787, 2, -1},
    {0xA78C, 0xA78C, 1, -1}, {0xA791, 0xA793, 2, -1}, {0xA794, 0xA794, 1, 48}, {0xA797, 0xA7A9, 2, -1},
    {0xA7B5, 0xA7C3, 2, -1}, {0xA7C8, 0xA7CA, 2, -1}, {0xA7D1, 0xA7D1, 1, -1}, {0xA7D7, 0xA7D9, 2, -1},
    {0xA7F6, 0xA7F6, 1, -1}, {0xAB53, 0xAB53, 1, -928}, {0xAB70, 0xABBF, 1, -38864}, {0xFF41, 0xFF5A, 1, -32},
    {0x10428, 0x1044F, 1, -40}, {0x104D8, 0x104FB, 1, -40}, {0x10597, 0x105A1, 1, -39}, {0x105A3, 0x105B1, 1, -39},
    {0x105B3, 0x105B9, 1, -39}, {0x105BB, 0x105BC, 1, -39}, {0x10CC0, 0x10CF2, 1, -64}, {0x118C0, 0x118DF, 1, -32},
    {0x16E60, 0x16E7F, 1, -32}, {0x1E922, 0x1E943, 1, -34},
};

constexpr CaseRun kLower[] = {
    {0x41, 0x5A, 1, 32}, {0xC0, 0xD6, 1, 32}, {0xD8, 0xDE, 1, 32}, {0x100, 0x12E, 2, 1}, {0x132, 0x136, 2, 1},
    {0x139, 0x147, 2, 1}, {0x14A, 0x176, 2, 1}, {0x178, 0x178, 1, -121}, {0x179, 0x17D, 2, 1}, {0x181, 0x181, 1, 210},
    {0x182, 0x184, 2, 1}, {0x186, 0x186, 1, 206}, {0x187, 0x187, 1, 1}, {0x189, 0x18A, 1, 205}, {0x18B, 0x18B, 1, 1},
    {0x18E, 0x18E, 1, 79}, {0x18F, 0x18F, 1, 202}, {0x190, 0x190, 1, 203}, {0x191, 0x191, 1, 1},
    {0x193, 0x193, 1, 205}, {0x194, 0x194, 1, 207}, {0x196, 0x196, 1, 211}, {0x197, 0x197, 1, 209},
    {0x198, 0x198, 1, 1}, {0x19C, 0x19C, 1, 211}, {0x19D, 0x19D, 1, 213}, {0x19F, 0x19F, 1, 214},
    {0x1A0, 0x1A4, 2, 1}, {0x1A6, 0x1A6, 1, 218}, {0x1A7, 0x1A7, 1, 1}, {0x1A9, 0x1A9, 1, 218}, {0x1AC, 0x1AC, 1, 1},
    {0x1AE, 0x1AE, 1, 218}, {0x1AF, 0x1AF, 1, 1}, {0x1B1, 0x1B2, 1, 217}, {0x1B3, 0x1B5, 2, 1},
    {0x1B7, 0x1B7, 1, 219}, {0x1B8, 0x1B8, 1, 1}, {0x1BC, 0x1BC, 1, 1}, {0x1C4, 0x1C4, 1, 2}, {0x1C5, 0x1C5, 1, 1},
    {0x1C7, 0x1C7, 1, 2}, {0x1C8, 0x1C8, 1, 1}, {0x1CA, 0x1CA, 1, 2}, {0x1CB, 0x1DB, 2, 1}, {0x1DE, 0x1EE, 2, 1},
    {0x1F1, 0x1F1, 1, 2}, {0x1F2, 0x1F4, 2, 1}, {0x1F6, 0x1F6, 1, -97}, {0x1F7, 0x1F7, 1, -56}, {0x1F8, 0x21E, 2, 1},
    {0x220, 0x220, 1, -130}, {0x222, 0x232, 2, 1}, {0x23A, 0x23A, 1, 10795}, {0x23B, 0x23B, 1, 1},
    {0x23D, 0x23D, 1, -163}, {0x23E, 0x23E, 1, 10792}, {0x241, 0x241, 1, 1}, {0x243, 0x243, 1, -195},
    {0x244, 0x244, 1, 69}, {0x245, 0x245, 1, 71}, {0x246, 0x24E, 2, 1}, {0x370, 0x372, 2, 1}, {0x376, 0x376, 1, 1},
    {0x37F, 0x37F, 1, 116}, {0x386, 0x386, 1, 38}, {0x388, 0x38A, 1, 37}, {0x38C, 0x38C, 1, 64},
    {0x38E, 0x38F, 1, 63}, {0x391, 0x3A1, 1, 32}, {0x3A3, 0x3AB, 1, 32}, {0x3CF, 0x3CF, 1, 8}, {0x3D8, 0x3EE, 2, 1},
    {0x3F4, 0x3F4, 1, -60}, {0x3F7, 0x3F7, 1, 1}, {0x3F9, 0x3F9, 1, -7}, {0x3FA, 0x3FA, 1, 1},
    {0x3FD, 0x3FF, 1, -130}, {0x400, 0x40F, 1, 80}, {0x410, 0x42F, 1, 32}, {0x460, 0x480, 2, 1}, {0x48A, 0x4BE, 2, 1},
    {0x4C0, 0x4C0, 1, 15}, {0x4C1, 0x4CD, 2, 1}, {0x4D0, 0x52E, 2, 1}, {0x531, 0x556, 1, 48},
    {0x10A0, 0x10C5, 1, 7264}, {0x10C7, 0x10C7, 1, 7264}, {0x10CD, 0x10CD, 1, 7264}, {0x13A0, 0x13EF, 1, 38864},
    {0x13F0, 0x13F5, 1, 8}, {0x1C90, 0x1CBA, 1, -3008}, {0x1CBD, 0x1CBF, 1, -3008}, {0x1E00, 0x1E94, 2, 1},
    {0x1E9E, 0x1E9E, 1, -7615}, {0x1EA0, 0x1EFE, 2, 1}, {0x1F08, 0x1F0F, 1, -8}, {0x1F18, 0x1F1D, 1, -8},
    {0x1F28, 0x1F2F, 1, -8}, {0x1F38, 0x1F3F, 1, -8}, {0x1F48, 0x1F4D, 1, -8}, {0x1F59, 0x1F5F, 2, -8},
    {0x1F68, 0x1F6F, 1, -8}, {0x1F88, 0x1F8F, 1, -8}, {0x1F98, 0x1F9F, 1, -8}, {0x1FA8, 0x1FAF, 1, -8},
    {0x1FB8, 0x1FB9, 1, -8}, {0x1FBA, 0x1FBB, 1, -74}, {0x1FBC, 0x1FBC, 1, -9}, {0x1FC8, 0x1FCB, 1, -86},
    {0x1FCC, 0x1FCC, 1, -9}, {0x1FD8, 0x1FD9, 1, -8}, {0x1FDA, 0x1FDB, 1, -100}, {0x1FE8, 0x1FE9, 1, -8},
    {0x1FEA, 0x1FEB, 1, -112}, {0x1FEC, 0x1FEC, 1, -7}, {0x1FF8, 0x1FF9, 1, -128}, {0x1FFA, 0x1FFB, 1, -126},
    {0x1FFC, 0x1FFC, 1, -9}, {0x2126, 0x2126, 1, -7517}, {0x212A, 0x212A, 1, -8383}, {0x212B, 0x212B, 1, -8262},
    {0x2132, 0x2132, 1, 28}, {0x2160, 0x216F, 1, 16}, {0x2183, 0x2183, 1, 1}, {0x24B6, 0x24CF, 1, 26},
    {0x2C00, 0x2C2F, 1, 48}, {0x2C60, 0x2C60, 1, 1}, {0x2C62, 0x2C62, 1, -10743}, {0x2C63, 0x2C63, 1, -3814},
    {0x2C64, 0x2C64, 1, -10727}, {0x2C67, 0x2C6B, 2, 1}, {0x2C6D, 0x2C6D, 1, -10780}, {0x2C6E, 0x2C6E, 1, -10749},
    {0x2C6F, 0x2C6F, 1, -10783}, {0x2C70, 0x2C70, 1, -10782}, {0x2C72, 0x2C72, 1, 1}, {0x2C75, 0x2C75, 1, 1},
    {0x2C7E, 0x2C7F, 1, -10815}, {0x2C80, 0x2CE2, 2, 1}, {0x2CEB, 0x2CED, 2, 1}, {0x2CF2, 0x2CF2, 1, 1},
    {0xA640, 0xA66C, 2, 1}, {0xA680, 0xA69A, 2, 1}, {0xA722, 0xA72E, 2, 1}, {0xA732, 0xA76E, 2, 1},
    {0xA779, 0xA77B, 2, 1}, {0xA77D, 0xA77D, 1, -35332}, {0xA77E, 0xA786, 2, 1}, {0xA78B, 0xA78B, 1, 1},
    {0xA78D, 0xA78D, 1, -42280}, {0xA790, 0xA792, 2, 1}, {0xA796, 0xA7A8, 2, 1}, {0xA7AA, 0xA7AA, 1, -42308},
    {0xA7AB, 0xA7AB, 1, -42319}, {0xA7AC, 0xA7AC, 1, -42315}, {0xA7AD, 0xA7AD, 1, -42305},
    {0xA7AE, 0xA7AE, 1, -42308}, {0xA7B0, 0xA7B0, 1, -42258}, {0xA7B1, 0xA7B1, 1, -42282},
    {0xA7B2, 0xA7B2, 1, -42261}, {0xA7B3, 0xA7B3, 1, 928}, {0xA7B4, 0xA7C2, 2, 1}, {0xA7C4, 0xA7C4, 1, -48},
    {0xA7C5, 0xA7C5, 1, -42307}, {0xA7C6, 0xA7C6, 1, -35384}, {0xA7C7, 0xA7C9, 2, 1}, {0xA7D0, 0xA7D0, 1, 1},
    {0xA7D6, 0xA7D8, 2, 1}, {0xA7F5, 0xA7F5, 1, 1}, {0xFF21, 0xFF3A, 1, 32}, {0x10400, 0x10427, 1, 40},
    {0x104B0, 0x104D3, 1, 40}, {0x10570, 0x1057A, 1, 39}, {0x1057C, 0x1058A, 1, 39}, {0x1058C, 0x10592, 1, 39},
    {0x10594, 0x10595, 1, 39}, {0x10C80, 0x10CB2, 1, 64}, {0x118A0, 0x118BF, 1, 32}, {0x16E40, 0x16E5F, 1, 32},
    {0x1E900, 0x1E921, 1, 34},
};

constexpr CaseRun kTitle[] = {
    {0x61, 0x7A, 1, -32}, {0xB5, 0xB5, 1, 743}, {0xE0, 0xF6, 1, -32}, {0xF8, 0xFE, 1, -32}, {0xFF, 0xFF, 1, 121},
    {0x101, 0x12F, 2, -1}, {0x131, 0x131, 1, -232}, {0x133, 0x137, 2, -1}, {0x13A, 0x148, 2, -1},
    {0x14B, 0x177, 2, -1}, {0x17A, 0x17E, 2, -1}, {0x17F, 0x17F, 1, -300}, {0x180, 0x180, 1, 195},
    {0x183, 0x185, 2, -1}, {0x188, 0x188, 1, -1}, {0x18C, 0x18C, 1, -1}, {0x192, 0x192, 1, -1}, {0x195, 0x195, 1, 97},
    {0x199, 0x199, 1, -1}, {0x19A, 0x19A, 1, 163}, {0x19E, 0x19E, 1, 130}, {0x1A1, 0x1A5, 2, -1},
    {0x1A8, 0x1A8, 1, -1}, {0x1AD, 0x1AD, 1, -1}, {0x1B0, 0x1B0, 1, -1}, {0x1B4, 0x1B6, 2, -1}, {0x1B9, 0x1B9, 1, -1},
    {0x1BD, 0x1BD, 1, -1}, {0x1BF, 0x1BF, 1, 56}, {0x1C4, 0x1C4, 1, 1}, {0x1C6, 0x1C6, 1, -1}, {0x1C7, 0x1C7, 1, 1},
    {0x1C9, 0x1C9, 1, -1}, {0x1CA, 0x1CA, 1, 1}, {0x1CC, 0x1DC, 2, -1}, {0x1DD, 0x1DD, 1, -79}, {0x1DF, 0x1EF, 2, -1},
    {0x1F1, 0x1F1, 1, 1}, {0x1F3, 0x1F5, 2, -1}, {0x1F9, 0x21F, 2, -1}, {0x223, 0x233, 2, -1}, {0x23C, 0x23C, 1, -1},
    {0x23F, 0x240, 1, 10815}, {0x242, 0x242, 1, -1}, {0x247, 0x24F, 2, -1}, {0x250, 0x250, 1, 10783},
    {0x251, 0x251, 1, 10780}, {0x252, 0x252, 1, 10782}, {0x253, 0x253, 1, -210}, {0x254, 0x254, 1, -206},
    {0x256, 0x257, 1, -205}, {0x259, 0x259, 1, -202}, {0x25B, 0x25B, 1, -203}, {0x25C, 0x25C, 1, 42319},
    {0x260, 0x260, 1, -205}, {0x261, 0x261, 1, 42315}, {0x263, 0x263, 1, -207}, {0x265, 0x265, 1, 42280},
    {0x266, 0x266, 1, 42308}, {0x268, 0x268, 1, -209}, {0x269, 0x269, 1, -211}, {0x26A, 0x26A, 1, 42308},
    {0x26B, 0x26B, 1, 10743}, {0x26C, 0x26C, 1, 42305}, {0x26F, 0x26F, 1, -211}, {0x271, 0x271, 1, 10749},
    {0x272, 0x272, 1, -213}, {0x275, 0x275, 1, -214}, {0x27D, 0x27D, 1, 10727}, {0x280, 0x280, 1, -218},
    {0x282, 0x282, 1, 42307}, {0x283, 0x283, 1, -218}, {0x287, 0x287, 1, 42282}, {0x288, 0x288, 1, -218},
    {0x289, 0x289, 1, -69}, {0x28A, 0x28B, 1, -217}, {0x28C, 0x28C, 1, -71}, {0x292, 0x292, 1, -219},
    {0x29D, 0x29D, 1, 42261}, {0x29E, 0x29E, 1, 42258}, {0x345, 0x345, 1, 84}, {0x371, 0x373, 2, -1},
    {0x377, 0x377, 1, -1}, {0x37B, 0x37D, 1, 130}, {0x3AC, 0x3AC, 1, -38}, {0x3AD, 0x3AF, 1, -37},
    {0x3B1, 0x3C1, 1, -32}, {0x3C2, 0x3C2, 1, -31}, {0x3C3, 0x3CB, 1, -32}, {0x3CC, 0x3CC, 1, -64},
    {0x3CD, 0x3CE, 1, -63}, {0x3D0, 0x3D0, 1, -62}, {0x3D1, 0x3D1, 1, -57}, {0x3D5, 0x3D5, 1, -47},
    {0x3D6, 0x3D6, 1, -54}, {0x3D7, 0x3D7, 1, -8}, {0x3D9, 0x3EF, 2, -1}, {0x3F0, 0x3F0, 1, -86},
    {0x3F1, 0x3F1, 1, -80}, {0x3F2, 0x3F2, 1, 7}, {0x3F3, 0x3F3, 1, -116}, {0x3F5, 0x3F5, 1, -96},
    {0x3F8, 0x3F8, 1, -1}, {0x3FB, 0x3FB, 1, -1}, {0x430, 0x44F, 1, -32}, {0x450, 0x45F, 1, -80},
    {0x461, 0x481, 2, -1}, {0x48B, 0x4BF, 2, -1}, {0x4C2, 0x4CE, 2, -1}, {0x4CF, 0x4CF, 1, -15},
    {0x4D1, 0x52F, 2, -1}, {0x561, 0x586, 1, -48}, {0x13F8, 0x13FD, 1, -8}, {0x1C80, 0x1C80, 1, -6254},
    {0x1C81, 0x1C81, 1, -6253}, {0x1C82, 0x1C82, 1, -6244}, {0x1C83, 0x1C84, 1, -6242}, {0x1C85, 0x1C85, 1, -6243},
    {0x1C86, 0x1C86, 1, -6236}, {0x1C87, 0x1C87, 1, -6181}, {0x1C88, 0x1C88, 1, 35266}, {0x1D79, 0x1D79, 1, 35332},
    {0x1D7D, 0x1D7D, 1, 3814}, {0x1D8E, 0x1D8E, 1, 35384}, {0x1E01, 0x1E95, 2, -1}, {0x1E9B, 0x1E9B, 1, -59},
    {0x1EA1, 0x1EFF, 2, -1}, {0x1F00, 0x1F07, 1, 8}, {0x1F10, 0x1F15, 1, 8}, {0x1F20, 0x1F27, 1, 8},
    {0x1F30, 0x1F37, 1, 8}, {0x1F40, 0x1F45, 1, 8}, {0x1F51, 0x1F57, 2, 8}, {0x1F60, 0x1F67, 1, 8},
    {0x1F70, 0x1F71, 1, 74}, {0x1F72, 0x1F75, 1, 86}, {0x1F76, 0x1F77, 1, 100}, {0x1F78, 0x1F79, 1, 128},
    {0x1F7A, 0x1F7B, 1, 112}, {0x1F7C, 0x1F7D, 1, 126}, {0x1F80, 0x1F87, 1, 8}, {0x1F90, 0x1F97, 1, 8},
    {0x1FA0, 0x1FA7, 1, 8}, {0x1FB0, 0x1FB1, 1, 8}, {0x1FB3, 0x1FB3, 1, 9}, {0x1FBE, 0x1FBE, 1, -7205},
    {0x1FC3, 0x1FC3, 1, 9}, {0x1FD0, 0x1FD1, 1, 8}, {0x1FE0, 0x1FE1, 1, 8}, {0x1FE5, 0x1FE5, 1, 7},
    {0x1FF3, 0x1FF3, 1, 9}, {0x214E, 0x214E, 1, -28}, {0x2170, 0x217F, 1, -16}, {0x2184, 0x2184, 1, -1},
    {0x24D0, 0x24E9, 1, -26}, {0x2C30, 0x2C5F, 1, -48}, {0x2C61, 0x2C61, 1, -1}, {0x2C65, 0x2C65, 1, -10795},
    {0x2C66, 0x2C66, 1, -10792}, {0x2C68, 0x2C6C, 2, -1}, {0x2C73, 0x2C73, 1, -1}, {0x2C76, 0x2C76, 1, -1},
    {0x2C81, 0x2CE3, 2, -1}, {0x2CEC, 0x2CEE, 2, -1}, {0x2CF3, 0x2CF3, 1, -1}, {0x2D00, 0x2D25, 1, -7264},
    {0x2D27, 0x2D27, 1, -7264}, {0x2D2D, 0x2D2D, 1, -7264}, {0xA641, 0xA66D, 2, -1}, {0xA681, 0xA69B, 2, -1},
    {0xA723, 0xA72F, 2, -1}, {0xA733, 0xA76F, 2, -1}, {0xA77A, 0xA77C, 2, -1}, {0xA77F, 0xA787, 2, -1},
    {0xA78C, 0xA78C, 1, -1}, {0xA791, 0xA793, 2, -1}, {0xA794, 0xA794, 1, 48}, {0xA797, 0xA7A9, 2, -1},
    {0xA7B5, 0xA7C3, 2, -1}, {0xA7C8, 0xA7CA, 2, -1}, {0xA7D1, 0xA7D1, 1, -1}, {0xA7D7, 0xA7D9, 2, -1},
    {0xA7F6, 0xA7F6, 1, -1}, {0xAB53, 0xAB53, 1, -928}, {0xAB70, 0xABBF, 1, -38864}, {0xFF41, 0xFF5A, 1, -32},
    {0x10428, 0x1044F, 1, -40}, {0x104D8, 0x104FB, 1, -40}, {0x10597, 0x105A1, 1, -39}, {0x105A3, 0x105B1, 1, -39},
    {0x105B3, 0x105B9, 1, -39}, {0x105BB, 0x105BC, 1, -39}, {0x10CC0, 0x10CF2, 1, -64}, {0x118C0, 0x118DF, 1, -32},
    {0x16E60, 0x16E7F, 1, -32}, {0x1E922, 0x1E943, 1, -34},
};

constexpr CaseText kUpperText[] = {
    {0xDF, "\x53\x53"}, {0x149, "\xca\xbc\x4e"}, {0x1F0, "\x4a\xcc\x8c"}, {0x390, "\xce\x99\xcc\x88\xcc\x81"},
    {0x3B0, "\xce\xa5\xcc\x88\xcc\x81"}, {0x587, "\xd4\xb5\xd5\x92"}, {0x1E96, "\x48\xcc\xb1"},
    {0x1E97, "\x54\xcc\x88"}, {0x1E98, "\x57\xcc\x8a"}, {0x1E99, "\x59\xcc\x8a"}, {0x1E9A, "\x41\xca\xbe"},
    {0x1F50, "\xce\xa5\xcc\x93"}, {0x1F52, "\xce\xa5\xcc\x93\xcc\x80"}, {0x1F54, "\xce\xa5\xcc\x93\xcc\x81"},
    {0x1F56, "\xce\xa5\xcc\x93\xcd\x82"}, {0x1F80, "\xe1\xbc\x88\xce\x99"}, {0x1F81, "\xe1\xbc\x89\xce\x99"},
    {0x1F82, "\xe1\xbc\x8a\xce\x99"}, {0x1F83, "\xe1\xbc\x8b\xce\x99"}, {0x1F84, "\xe1\xbc\x8c\xce\x99"},
    {0x1F85, "\xe1\xbc\x8d\xce\x99"}, {0x1F86, "\xe1\xbc\x8e\xce\x99"}, {0x1F87, "\xe1\xbc\x8f\xce\x99"},
    {0x1F88, "\xe1\xbc\x88\xce\x99"}, {0x1F89, "\xe1\xbc\x89\xce\x99"}, {0x1F8A, "\xe1\xbc\x8a\xce\x99"},
    {0x1F8B, "\xe1\xbc\x8b\xce\x99"}, {0x1F8C, "\xe1\xbc\x8c\xce\x99"}, {0x1F8D, "\xe1\xbc\x8d\xce\x99"},
    {0x1F8E, "\xe1\xbc\x8e\xce\x99"}, {0x1F8F, "\xe1\xbc\x8f\xce\x99"}, {0x1F90, "\xe1\xbc\xa8\xce\x99"},
    {0x1F91, "\xe1\xbc\xa9\xce\x99"}, {0x1F92, "\xe1\xbc\xaa\xce\x99"}, {0x1F93, "\xe1\xbc\xab\xce\x99"},
    {0x1F94, "\xe1\xbc\xac\xce\x99"}, {0x1F95, "\xe1\xbc\xad\xce\x99"}, {0x1F96, "\xe1\xbc\xae\xce\x99"},
    {0x1F97, "\xe1\xbc\xaf\xce\x99"}, {0x1F98, "\xe1\xbc\xa8\xce\x99"}, {0x1F99, "\xe1\xbc\xa9\xce\x99"},
    {0x1F9A, "\xe1\xbc\xaa\xce\x99"}, {0x1F9B, "\xe1\xbc\xab\xce\x99"}, {0x1F9C, "\xe1\xbc\xac\xce\x99"},
    {0x1F9D, "\xe1\xbc\xad\xce\x99"}, {0x1F9E, "\xe1\xbc\xae\xce\x99"}, {0x1F9F, "\xe1\xbc\xaf\xce\x99"},
    {0x1FA0, "\xe1\xbd\xa8\xce\x99"}, {0x1FA1, "\xe1\xbd\xa9\xce\x99"}, {0x1FA2, "\xe1\xbd\xaa\xce\x99"},
    {0x1FA3, "\xe1\xbd\xab\xce\x99"}, {0x1FA4, "\xe1\xbd\xac\xce\x99"}, {0x1FA5, "\xe1\xbd\xad\xce\x99"},
    {0x1FA6, "\xe1\xbd\xae\xce\x99"}, {0x1FA7, "\xe1\xbd\xaf\xce\x99"}, {0x1FA8, "\xe1\xbd\xa8\xce\x99"},
    {0x1FA9, "\xe1\xbd\xa9\xce\x99"}, {0x1FAA, "\xe1\xbd\xaa\xce\x99"}, {0x1FAB, "\xe1\xbd\xab\xce\x99"},
    {0x1FAC, "\xe1\xbd\xac\xce\x99"}, {0x1FAD, "\xe1\xbd\xad\xce\x99"}, {0x1FAE, "\xe1\xbd\xae\xce\x99"},
    {0x1FAF, "\xe1\xbd\xaf\xce\x99"}, {0x1FB2, "\xe1\xbe\xba\xce\x99"}, {0x1FB3, "\xce\x91\xce\x99"},
    {0x1FB4, "\xce\x86\xce\x99"}, {0x1FB6, "\xce\x91\xcd\x82"}, {0x1FB7, "\xce\x91\xcd\x82\xce\x99"},
    {0x1FBC, "\xce\x91\xce\x99"}, {0x1FC2, "\xe1\xbf\x8a\xce\x99"}, {0x1FC3, "\xce\x97\xce\x99"},
    {0x1FC4, "\xce\x89\xce\x99"}, {0x1FC6, "\xce\x97\xcd\x82"}, {0x1FC7, "\xce\x97\xcd\x82\xce\x99"},
    {0x1FCC, "\xce\x97\xce\x99"}, {0x1FD2, "\xce\x99\xcc\x88\xcc\x80"}, {0x1FD3, "\xce\x99\xcc\x88\xcc\x81"},
    {0x1FD6, "\xce\x99\xcd\x82"}, {0x1FD7, "\xce\x99\xcc\x88\xcd\x82"}, {0x1FE2, "\xce\xa5\xcc\x88\xcc\x80"},
    {0x1FE3, "\xce\xa5\xcc\x88\xcc\x81"}, {0x1FE4, "\xce\xa1\xcc\x93"}, {0x1FE6, "\xce\xa5\xcd\x82"},
    {0x1FE7, "\xce\xa5\xcc\x88\xcd\x82"}, {0x1FF2, "\xe1\xbf\xba\xce\x99"}, {0x1FF3, "\xce\xa9\xce\x99"},
    {0x1FF4, "\xce\x8f\xce\x99"}, {0x1FF6, "\xce\xa9\xcd\x82"}, {0x1FF7, "\xce\xa9\xcd\x82\xce\x99"},
    {0x1FFC, "\xce\xa9\xce\x99"}, {0xFB00, "\x46\x46"}, {0xFB01, "\x46\x49"}, {0xFB02, "\x46\x4c"},
    {0xFB03, "\x46\x46\x49"}, {0xFB04, "\x46\x46\x4c"}, {0xFB05, "\x53\x54"}, {0xFB06, "\x53\x54"},
    {0xFB13, "\xd5\x84\xd5\x86"}, {0xFB14, "\xd5\x84\xd4\xb5"}, {0xFB15, "\xd5\x84\xd4\xbb"},
    {0xFB16, "\xd5\x8e\xd5\x86"}, {0xFB17, "\xd5\x84\xd4\xbd"},
};

constexpr CaseText kLowerText[] = {
    {0x130, "\x69\xcc\x87"},
};

constexpr CaseText kTitleText[] = {
    {0xDF, "\x53\x73"}, {0x149, "\xca\xbc\x4e"}, {0x1F0, "\x4a\xcc\x8c"}, {0x390, "\xce\x99\xcc\x88\xcc\x81"},
    {0x3B0, "\xce\xa5\xcc\x88\xcc\x81"}, {0x587, "\xd4\xb5\xd6\x82"}, {0x1E96, "\x48\xcc\xb1"},
    {0x1E97, "\x54\xcc\x88"}, {0x1E98, "\x57\xcc\x8a"}, {0x1E99, "\x59\xcc\x8a"}, {0x1E9A, "\x41\xca\xbe"},
    {0x1F50, "\xce\xa5\xcc\x93"}, {0x1F52, "\xce\xa5\xcc\x93\xcc\x80"}, {0x1F54, "\xce\xa5\xcc\x93\xcc\x81"},
    {0x1F56, "\xce\xa5\xcc\x93\xcd\x82"}, {0x1FB2, "\xe1\xbe\xba\xcd\x85"}, {0x1FB4, "\xce\x86\xcd\x85"},
    {0x1FB6, "\xce\x91\xcd\x82"}, {0x1FB7, "\xce\x91\xcd\x82\xcd\x85"}, {0x1FC2, "\xe1\xbf\x8a\xcd\x85"},
    {0x1FC4, "\xce\x89\xcd\x85"}, {0x1FC6, "\xce\x97\xcd\x82"}, {0x1FC7, "\xce\x97\xcd\x82\xcd\x85"},
    {0x1FD2, "\xce\x99\xcc\x88\xcc\x80"}, {0x1FD3, "\xce\x99\xcc\x88\xcc\x81"}, {0x1FD6, "\xce\x99\xcd\x82"},
    {0x1FD7, "\xce\x99\xcc\x88\xcd\x82"}, {0x1FE2, "\xce\xa5\xcc\x88\xcc\x80"}, {0x1FE3, "\xce\xa5\xcc\x88\xcc\x81"},
    {0x1FE4, "\xce\xa1\xcc\x93"}, {0x1FE6, "\xce\xa5\xcd\x82"}, {0x1FE7, "\xce\xa5\xcc\x88\xcd\x82"},
    {0x1FF2, "\xe1\xbf\xba\xcd\x85"}, {0x1FF4, "\xce\x8f\xcd\x85"}, {0x1FF6, "\xce\xa9\xcd\x82"},
    {0x1FF7, "\xce\xa9\xcd\x82\xcd\x85"}, {0xFB00, "\x46\x66"}, {0xFB01, "\x46\x69"}, {0xFB02, "\x46\x6c"},
    {0xFB03, "\x46\x66\x69"}, {0xFB04, "\x46\x66\x6c"}, {0xFB05, "\x53\x74"}, {0xFB06, "\x53\x74"},
    {0xFB13, "\xd5\x84\xd5\xb6"}, {0xFB14, "\xd5\x84\xd5\xa5"}, {0xFB15, "\xd5\x84\xd5\xab"},
    {0xFB16, "\xd5\x8e\xd5\xb6"}, {0xFB17, "\xd5\x84\xd5\xad"},
};

}  // namespace

const CharacterData& character_data()
{
    static constexpr CharacterData data{kProperties, kRuns, {kUpper, kUpperText}, {kLower, kLowerText},
                                        {kTitle, kTitleText}};
    return data;
}

}  // namespace cadre::text::tpl
