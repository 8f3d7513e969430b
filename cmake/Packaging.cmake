# SPDX-License-Identifier: MIT
# The targets package-python (sdist and wheel), package-ruby (gem) and package-lua (source rock),
# each made by its language's own tool into packages/ of the build folder. Each holds the core, the
# scripts and what SWIG generated: who installs it needs a C compiler and hiredis, not SWIG.
#
#   cmake --build --preset install --target package-ruby

set(bindings "${CMAKE_CURRENT_SOURCE_DIR}/bindings")
set(packages "${CMAKE_CURRENT_BINARY_DIR}/packages")
file(MAKE_DIRECTORY "${packages}")

# The wheel is built from the sdist, so that a file which the sdist lacks is noticed here.
set(python "${CMAKE_CURRENT_BINARY_DIR}/packaging-python")
add_custom_target(package-python
  COMMAND python3 -m venv "${python}"
  COMMAND "${python}/bin/pip" install -q --disable-pip-version-check build
  COMMAND "${python}/bin/python" -m build --outdir "${packages}" "${bindings}/python"
  VERBATIM)

add_custom_target(package-ruby
  COMMAND gem build echomq.gemspec -o "${packages}/echomq-${ECHOMQ_VERSION}.gem"
  WORKING_DIRECTORY "${bindings}/ruby"
  VERBATIM)

# A source rock is a zip of a rockspec and of the archive that it names. (luarocks's own `pack`
# wants that archive at an absolute address.)
set(rock "echomq-${ECHOMQ_VERSION}-1")
set(stage "${CMAKE_CURRENT_BINARY_DIR}/packaging-lua")
add_custom_target(package-lua
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${stage}"
  COMMAND "${CMAKE_COMMAND}" "-DBINDINGS=${bindings}" "-DSTAGE=${stage}" "-DROCK=${rock}"
    -P "${CMAKE_CURRENT_LIST_DIR}/StageRock.cmake"
  COMMAND "${CMAKE_COMMAND}" -E chdir "${stage}" "${CMAKE_COMMAND}" -E tar cf
    "${packages}/${rock}.src.rock" --format=zip "${rock}.rockspec" "${rock}.tar.gz"
  VERBATIM)
