# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Probes of configure, which reads this file; each one ends in variables that
# write_makefile and write_config_h put into the build. Many variables are set
# and read by eval, which shellcheck does not follow.
# shellcheck disable=SC2034,SC2153,SC2154

# --- messages -----------------------------------------------------------

open_log()
{
    exec 5>config.log || exit 1
    echo "mod_repo $VERSION configured by: $1" >&5
    trap 'rm -rf conftest*' EXIT
    trap 'exit 1' HUP INT TERM
}

die()
{
    echo "configure: $*" >&2
    exit 1
}

# missing WHAT PACKAGE: end, telling how to go on.
missing()
{
    echo "configure: $1 not found" >&2
    echo "  on Debian: apt-get install $2" >&2
    echo "  details of failed probes: config.log" >&2
    exit 1
}

checking()
{
    printf 'checking %s... ' "$1"
    echo "--- checking $1" >&5
}

result()
{
    echo "$1"
    echo "result: $1" >&5
}

quote()
{
    printf "'%s'" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")"
}

# is_word WORD LIST
is_word()
{
    for word in $2; do
        [ "$word" = "$1" ] && return 0
    done
    return 1
}

# --- compiling small programs -------------------------------------------

# try_compile FLAGS: compile the program on stdin.
try_compile()
{
    cat >conftest.c
    # shellcheck disable=SC2086  # flags are words
    $CC $1 -c -o conftest.o conftest.c >conftest.out 2>&1
    log_try $? "$CC $1 -c"
}

# try_link FLAGS LIBS: compile and link the program on stdin.
try_link()
{
    cat >conftest.c
    # shellcheck disable=SC2086
    $CC $1 -o conftest.exe conftest.c $2 >conftest.out 2>&1
    log_try $? "$CC $1 ... $2"
}

log_try()
{
    [ "$1" -eq 0 ] && return 0
    {
        echo "failed: $2"
        cat conftest.out
        echo "program was:"
        cat conftest.c
    } >&5
    return 1
}

# find_program NAME...: print the first that exists.
find_program()
{
    for program in "$@"; do
        command -v "$program" 2>&5 && return 0
    done
    return 1
}

# --- tools --------------------------------------------------------------

probe_tools()
{
    checking 'for a C compiler'
    if [ -z "$CC" ]; then
        if [ "$fuzz" = yes ]; then
            CC=$(find_program clang) || missing clang clang
        else
            CC=$(find_program cc gcc clang) || missing 'C compiler' gcc
        fi
        CC=${CC##*/}
    fi
    echo 'int main(void) { return 0; }' | try_link "$CPPFLAGS $CFLAGS $LDFLAGS" '' ||
        die "$CC cannot create programs; details in config.log"
    result "$CC"

    checking 'whether it is clang'
    if printf '#ifndef __clang__\n#error\n#endif\n' | try_compile ''; then
        is_clang=yes
    else
        is_clang=no
    fi
    result $is_clang
    [ "$fuzz" = no ] || [ $is_clang = yes ] ||
        die '--enable-fuzz needs clang: add CC=clang'

    checking 'for GNU make'
    MAKE=
    for program in make gmake; do
        if $program --version 2>&5 | grep -q '^GNU Make'; then
            MAKE=$program
            break
        fi
    done
    [ -n "$MAKE" ] || missing 'GNU make' make
    result "$MAKE"

    checking 'for pkg-config'
    [ -n "$PKG_CONFIG" ] || PKG_CONFIG=$(find_program pkg-config pkgconf) ||
        missing pkg-config pkg-config
    result "$PKG_CONFIG"

    checking 'for Python (tests and lint only)'
    [ -n "$PYTHON" ] || PYTHON=$(find_program /usr/bin/python3 python3)
    result "${PYTHON:-no}"
}

# --- httpd --------------------------------------------------------------

# ask_apxs VARIABLE: one value a call, since values may hold spaces.
ask_apxs()
{
    "$apxs" -q "$1" 2>&5
}

probe_httpd()
{
    checking 'for apxs'
    [ -n "$apxs" ] || apxs=$(find_program apxs apxs2 /usr/sbin/apxs) ||
        missing apxs apache2-dev
    httpd_includedir=$(ask_apxs INCLUDEDIR) ||
        die "$apxs cannot tell its include folder"
    result "$apxs"

    checking 'for the headers of httpd 2.4'
    HTTPD_FLAGS="-isystem $httpd_includedir"
    [ -f "$httpd_includedir/mod_dav.h" ] ||
        missing "mod_dav.h in $httpd_includedir" apache2-dev
    result "$httpd_includedir"

    checking 'where modules of httpd go'
    moduledir=$(ask_apxs LIBEXECDIR) || die "$apxs cannot tell LIBEXECDIR"
    result "$moduledir"

    checking 'for the server program'
    name=$(ask_apxs PROGNAME) || name=httpd
    HTTPD=$(find_program "$(ask_apxs SBINDIR)/$name" "$name" httpd) || HTTPD=
    result "${HTTPD:-no (needed by tests only)}"
}

# --- APR ----------------------------------------------------------------

# as_system FLAGS: turn -I into -isystem; the compiler's own folder is left out.
as_system()
{
    for flag in $1; do
        case $flag in
        -I/usr/include) ;;
        -I*) printf ' -isystem %s' "${flag#-I}" ;;
        *) printf ' %s' "$flag" ;;
        esac
    done
}

# find_apr_config GIVEN NAME...: print the config program of APR or APR-util.
find_apr_config()
{
    given=$1
    shift
    if [ -n "$given" ] && [ -d "$given" ]; then
        for program in "$@"; do
            [ -x "$given/bin/$program" ] && echo "$given/bin/$program" &&
                return 0
        done
        return 1
    fi
    find_program ${given:+"$given"} "$@"
}

probe_apr()
{
    bindir_of_apr=$(ask_apxs APR_BINDIR) || bindir_of_apr=/usr/bin
    checking 'for APR'
    apr_config=$(find_apr_config "$apr_config" \
        "$bindir_of_apr/apr-1-config" apr-1-config) || missing APR libapr1-dev
    APR_FLAGS=$(as_system "$("$apr_config" --includes --cppflags)")
    APR_LIBS=$("$apr_config" --link-ld)
    result "$("$apr_config" --version) ($apr_config)"

    bindir_of_apr=$(ask_apxs APU_BINDIR) || bindir_of_apr=/usr/bin
    checking 'for APR-util'
    apu_config=$(find_apr_config "$apu_config" \
        "$bindir_of_apr/apu-1-config" apu-1-config) ||
        missing APR-util libaprutil1-dev
    APR_FLAGS="$APR_FLAGS$(as_system "$("$apu_config" --includes)")"
    APR_LIBS="$("$apu_config" --link-ld) $APR_LIBS"
    result "$("$apu_config" --version) ($apu_config)"

    try_link "$APR_FLAGS $LDFLAGS" "$APR_LIBS" <<'PROGRAM' ||
#include <apr_general.h>
#include <apr_buckets.h>
#if !APR_HAS_THREADS
#error APR has no threads
#endif
int main(void)
{
    return apr_initialize() || !apr_bucket_alloc_create;
}
PROGRAM
        die 'cannot link with APR and APR-util; details in config.log'
}

# --- libraries ----------------------------------------------------------

# find_library NAME MODULE: sets NAME_FLAGS and NAME_LIBS; false if absent.
find_library()
{
    checking "for $2"
    version=$($PKG_CONFIG --modversion "$2" 2>&5) || {
        result no
        return 1
    }
    eval "$1_FLAGS=\$(as_system \"\$(\$PKG_CONFIG --cflags $2)\")"
    eval "$1_LIBS=\$(\$PKG_CONFIG --libs $2)"
    result "$version"
}

probe_libraries()
{
    find_library ZLIB zlib || missing zlib zlib1g-dev
    find_library EXPAT expat || missing Expat libexpat1-dev
    find_library SQLITE sqlite3 || missing SQLite libsqlite3-dev
    find_library LZ4 liblz4 || missing LZ4 liblz4-dev
    SERF_FLAGS='' SERF_LIBS='' have_serf=1
    find_library SERF serf-1 || have_serf=0
    CRYPTO_FLAGS='' CRYPTO_LIBS='' have_libcrypto=1
    find_library CRYPTO libcrypto || have_libcrypto=0
    DEFLATE_FLAGS='' DEFLATE_LIBS='' have_libdeflate=0
    [ "$libdeflate" = no ] || ! find_library DEFLATE libdeflate ||
        have_libdeflate=1
    CMOCKA_FLAGS='' CMOCKA_LIBS='' have_cmocka=1
    find_library CMOCKA cmocka || have_cmocka=0

    LIB_FLAGS="$ZLIB_FLAGS$EXPAT_FLAGS$SQLITE_FLAGS$LZ4_FLAGS$CRYPTO_FLAGS"
    LIB_FLAGS="$LIB_FLAGS$DEFLATE_FLAGS"
    LIB_LIBS="$EXPAT_LIBS $SQLITE_LIBS $LZ4_LIBS $ZLIB_LIBS $CRYPTO_LIBS"
    LIB_LIBS="$LIB_LIBS $DEFLATE_LIBS"
}

# --- compiler flags -----------------------------------------------------

WARNINGS='-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
-Wold-style-definition -Wformat=2 -Wpointer-arith -Wundef -Wvla
-Wimplicit-fallthrough -Werror=format-security
-Werror=implicit-function-declaration -Werror=incompatible-pointer-types
-Werror=int-conversion'

# add_flags VARIABLE FLAG...: add those that the compiler knows.
add_flags()
{
    variable=$1
    shift
    for flag in "$@"; do
        if echo 'int x;' | try_compile "-Wall -Werror $flag"; then
            eval "$variable=\"\${$variable} \$flag\""
        fi
    done
}

probe_flags()
{
    checking 'compiler flags'
    echo '#include <stdatomic.h>' | try_compile '-std=c11' ||
        die "$CC does not know C11 with atomics; details in config.log"
    BASE_CFLAGS='-std=c11 -fvisibility=hidden -fPIC -pthread'
    # shellcheck disable=SC2086
    add_flags BASE_CFLAGS $WARNINGS
    [ "$werror" = no ] || BASE_CFLAGS="$BASE_CFLAGS -Werror"
    BASE_CPPFLAGS=-D_GNU_SOURCE
    BASE_LDFLAGS=-pthread

    default_cflags='-O2 -g' hardening=yes
    [ "$debug" = no ] || default_cflags='-O0 -g' hardening=no
    [ "$coverage" = no ] || add_coverage
    SANITIZER_PRELOAD='' FUZZ_LDFLAGS=''
    [ "$sanitizers$fuzz" = nono ] || add_sanitizers
    [ "$fuzz" = no ] || add_fuzzer
    [ "$debug$sanitizers$fuzz" = nonono ] ||
        BASE_CPPFLAGS="$BASE_CPPFLAGS -DFS_DEBUG"
    if [ -z "$CFLAGS" ]; then
        CFLAGS=$default_cflags
        [ "$hardening" = no ] ||
            add_flags CFLAGS -fstack-protector-strong -D_FORTIFY_SOURCE=2
    fi
    result "$CFLAGS"
}

add_coverage()
{
    default_cflags='-O0 -g' hardening=no
    BASE_CFLAGS="$BASE_CFLAGS --coverage"
    BASE_LDFLAGS="$BASE_LDFLAGS --coverage"
}

# httpd is not instrumented, so the runtime is shared and tests preload it.
add_sanitizers()
{
    [ "$debug" = yes ] || default_cflags='-O1 -g'
    hardening=no
    flags='-fsanitize=address,undefined -fno-sanitize-recover=undefined'
    BASE_CFLAGS="$BASE_CFLAGS $flags -fno-omit-frame-pointer"
    # APR's rings take offsets from a null pointer where offsetof is unknown.
    BASE_CFLAGS="$BASE_CFLAGS -include stddef.h"
    if [ "$is_clang" = yes ] && [ "$fuzz" = no ]; then
        flags="$flags -shared-libsan"
        runtime=$($CC -print-file-name="libclang_rt.asan-$(uname -m).so")
        BASE_LDFLAGS="$BASE_LDFLAGS -Wl,-rpath,${runtime%/*}"
    else
        runtime=$($CC -print-file-name=libasan.so)
    fi
    BASE_LDFLAGS="$BASE_LDFLAGS $flags"
    echo 'int main(void) { return 0; }' |
        try_link "$BASE_CFLAGS $BASE_LDFLAGS" '' ||
        die "$CC cannot link with sanitizers; details in config.log"
    [ ! -f "$runtime" ] || SANITIZER_PRELOAD=$runtime
}

add_fuzzer()
{
    BASE_CFLAGS="$BASE_CFLAGS -fsanitize=fuzzer-no-link"
    FUZZ_LDFLAGS=-fsanitize=fuzzer
    printf '%s\n' '#include <stddef.h>' \
        'int LLVMFuzzerTestOneInput(const char *data, size_t len);' \
        'int LLVMFuzzerTestOneInput(const char *data, size_t len)' \
        '{ return data && len > 9 ? 0 : 0; }' |
        try_link "$BASE_CFLAGS $BASE_LDFLAGS $FUZZ_LDFLAGS" '' ||
        die "$CC cannot link with libFuzzer; details in config.log"
}

# --- functions ----------------------------------------------------------

# One line a function: macro, header, expression.
FUNCTIONS='
HAVE_POSIX_FADVISE|fcntl.h|posix_fadvise(0, 0, 0, POSIX_FADV_WILLNEED)
HAVE_POSIX_FALLOCATE|fcntl.h|posix_fallocate(0, 0, 1)
HAVE_SYNC_FILE_RANGE|fcntl.h|sync_file_range(0, 0, 0, SYNC_FILE_RANGE_WRITE)
HAVE_FDATASYNC|unistd.h|fdatasync(0)
HAVE_COPY_FILE_RANGE|unistd.h|copy_file_range(0, 0, 1, 0, 1, 0) < 0
HAVE_MEMFD_CREATE|sys/mman.h|memfd_create("x", MFD_CLOEXEC)
HAVE_ROBUST_MUTEX|pthread.h|pthread_mutex_consistent((pthread_mutex_t *)0)
HAVE_RENAMEAT2|stdio.h|renameat2(0, "a", 0, "b", RENAME_NOREPLACE)
HAVE_SYNCFS|unistd.h|syncfs(0)
HAVE_PIPE2|unistd.h|pipe2((int *)0, 0)
HAVE_SPAWN_CLOSEFROM|spawn.h|posix_spawn_file_actions_addclosefrom_np(0, 3)
'

probe_functions()
{
    config_defines=
    while IFS='|' read -r macro header expression; do
        [ -n "$macro" ] || continue
        checking "for ${expression%%(*}"
        if try_link "-D_GNU_SOURCE -pthread" '' <<PROGRAM; then
#include <$header>
int main(int argc, char **argv)
{
    (void)argv;
    return argc > 9 ? $expression : 0;
}
PROGRAM
            result yes
            config_defines="$config_defines$macro 1
"
        else
            result no
            config_defines="$config_defines$macro 0
"
        fi
    done <<LIST
$FUNCTIONS
LIST
}

# --- output -------------------------------------------------------------

# replace_file NAME: put stdin there; an unchanged file keeps its time.
replace_file()
{
    cat >conftest.new
    if cmp -s conftest.new "$1"; then
        rm -f conftest.new
    else
        mv conftest.new "$1" || exit 1
    fi
}

write_config_h()
{
    {
        echo '/* Written by configure; each macro is 1 or 0. */'
        echo '#ifndef MOD_REPO_CONFIG_H'
        echo '#define MOD_REPO_CONFIG_H'
        echo "#define REPO_VERSION \"$VERSION\""
        printf '%s' "$config_defines" | sed 's/^/#define /'
        echo "#define HAVE_LIBCRYPTO $have_libcrypto"
        echo "#define HAVE_LIBDEFLATE $have_libdeflate"
        echo "#define HAVE_SERF $have_serf"
        echo '#endif'
    } | replace_file config.h
}

# Variables that Makefile.in names as @NAME@.
SUBSTITUTED='VERSION srcdir prefix exec_prefix bindir moduledir HTTPD apxs CC
CPPFLAGS CFLAGS LDFLAGS LIBS PKG_CONFIG PYTHON BASE_CPPFLAGS BASE_CFLAGS
BASE_LDFLAGS HTTPD_FLAGS APR_FLAGS APR_LIBS LIB_FLAGS LIB_LIBS SERF_FLAGS
SERF_LIBS CMOCKA_FLAGS CMOCKA_LIBS FUZZ_LDFLAGS SANITIZER_PRELOAD have_serf
have_cmocka fuzz silent'

write_makefile()
{
    for name in $SUBSTITUTED; do
        eval "value=\$$name"
        printf '%s\n' "$value" | tr '\n' ' ' |
            sed -e 's/[\\&|]/\\&/g' -e 's/  */ /g' -e 's/ *$//' \
                -e "s|^ *|s\\|@$name@\\||" -e 's/$/|g/'
        echo
    done >conftest.sed
    sed -f conftest.sed "$srcdir/Makefile.in" >conftest.mk || exit 1
    ! grep -n '@[A-Za-z_]*@' conftest.mk ||
        die 'Makefile.in names variables that configure does not set'
    mv conftest.mk Makefile || exit 1
}

write_config_status()
{
    {
        echo '#!/bin/sh'
        echo '# Repeats the call of configure that wrote this folder.'
        # shellcheck disable=SC2016  # for the written script to expand
        echo 'cd "$(dirname "$0")" || exit 1'
        echo "$repeat"
    } >conftest.status
    chmod +x conftest.status
    mv conftest.status config.status || exit 1
}

show_summary()
{
    echo
    echo "mod_repo $VERSION for $("$apxs" -q HTTPD_VERSION 2>&5 || echo httpd)"
    echo "  module goes to  $moduledir"
    echo "  compiler        $CC $CFLAGS"
    [ "$have_serf" = 1 ] || echo '  no serf: repobench is not built'
    [ "$have_libcrypto" = 1 ] || echo '  no libcrypto: slower checksums'
    [ "$have_libdeflate" = 1 ] || echo '  no libdeflate: slower compression'
    [ "$have_cmocka" = 1 ] || echo '  no cmocka: no unit tests'
    echo "Now run: $MAKE && $MAKE check"
}
