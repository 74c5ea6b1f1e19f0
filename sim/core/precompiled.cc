// SPDX-License-Identifier: BSD-3-Clause
//
// What the precompiled headers of all libraries are compiled with; see CMakeLists.txt.
