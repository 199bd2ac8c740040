// CADRE_API: what can be seen of libcadre.so.
#pragma once

#define CADRE_API __attribute__((visibility("default")))
