// Asio compiled once, here (BOOST_ASIO_SEPARATE_COMPILATION); everyone else sees declarations only.
#include <boost/asio/impl/src.hpp>
