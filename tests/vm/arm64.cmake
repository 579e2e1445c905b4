# SPDX-License-Identifier: Apache-2.0
# Builds for the guest: Debian's gcc-aarch64-linux-gnu and the :arm64 packages of what is used.
#   cmake -S . -B build/arm64 -G Ninja --toolchain tests/vm/arm64.cmake
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# libraries of the other architectures of the host are not even seen
set(CMAKE_IGNORE_PREFIX_PATH /usr/local)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
