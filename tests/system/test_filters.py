# SPDX-License-Identifier: Apache-2.0
"""Answers and bodies that pass other modules: compression, TLS, HTTP/2, filters
that run a program, caches."""

import gzip
import http.client
import os
import re
import shutil
import socket
import ssl
import tempfile
import urllib.parse

import pytest

import harness
import svndiff

ours_only = pytest.mark.skipif(harness.PEER, reason="differs on purpose")

MODULES = ["auth_basic", "authn_file", "authz_user", "cache", "cache_disk",
           "deflate", "ext_filter", "filter", "headers", "http2",
           "socache_shmcb", "ssl"]

ALLPROP = '<propfind xmlns="DAV:"><allprop/></propfind>'
OPTIONS = ('<D:options xmlns:D="DAV:"><D:activity-collection-set/>'
           "</D:options>")
LOG = ('<S:log-report xmlns:S="svn:"><S:start-revision>14</S:start-revision>'
       "<S:end-revision>0</S:end-revision><S:discover-changed-paths/>"
       "<S:path/></S:log-report>")
CHECKOUT = ('<S:update-report xmlns:S="svn:" send-all="true"><S:src-path>%s'
            "</S:src-path><S:target-revision>%d</S:target-revision>"
            '<S:entry rev="1" start-empty="true"/></S:update-report>')

#: Requests below the root URL: method, path, headers, body.
REQUESTS = {
    "file": ("GET", "/trunk/alpha.txt", {}, None),
    "binary": ("GET", "/trunk/big.bin", {}, None),
    "version": ("GET", "/!svn/rvr/3/branches/b1/a.txt", {}, None),
    "listing": ("GET", "/trunk/manual/", {}, None),
    "keywords": ("GET", "/trunk/lib/b.c?kw=1", {}, None),
    "missing": ("GET", "/none", {}, None),
    "head": ("HEAD", "/trunk/alpha.txt", {}, None),
    "properties": ("PROPFIND", "/trunk/alpha.txt", {"Depth": "0"}, ALLPROP),
    "members": ("PROPFIND", "/trunk", {"Depth": "1"}, ALLPROP),
    "session": ("OPTIONS", "/trunk", {}, OPTIONS),
    "log": ("REPORT", "/!svn/rvr/14/", {}, LOG),
    "refused": ("REPORT", "/!svn/rvr/14/", {}, LOG.replace("14", "99")),
}


def certificate(folder):
    """A key and a certificate signed by itself."""
    names = [os.path.join(folder, name) for name in ("key.pem", "cert.pem")]
    harness.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                 "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                 "-subj", "/CN=127.0.0.1", "-keyout", names[0], "-out",
                 names[1]])
    return names


def damaged(small, folder):
    """A copy in which r15 adds a long file that cannot be read to its end."""
    path = os.path.join(folder, "damaged")
    shutil.copytree(small, path)
    long = os.path.join(folder, "long.bin")
    with open(long, "wb") as out:
        out.write(os.urandom(1 << 20))
    harness.run(["svnmucc", "--non-interactive", "-m", "", "put", long,
                 "file://%s/trunk/long.bin" % path])
    (file,) = [os.path.join(top, "15")
               for top, _, names in os.walk(os.path.join(path, "db", "revs"))
               if "15" in names]
    os.chmod(file, 0o644)
    with open(file, "r+b") as out:
        out.seek(1 << 19)
        byte = out.read(1)[0]
        out.seek(1 << 19)
        out.write(bytes([byte ^ 0x10]))
    harness.readable(path)
    return path


@pytest.fixture(scope="module", params=harness.MPMS)
def server(request, work, small):
    """One repository behind each filter; `tls` is the port for https."""
    folder = tempfile.mkdtemp(prefix="filters-", dir=work)
    os.chmod(folder, 0o755)
    key, cert = certificate(folder)
    tls = harness.free_port()
    config = "\n".join([
        harness.location("/small", small),
        harness.location("/deflate/small", small, "SetOutputFilter DEFLATE",
                         "SetInputFilter DEFLATE"),
        harness.location("/typed/small", small, "AddOutputFilterByType DEFLATE "
                         "text/plain text/html text/xml"),
        harness.location("/cat/small", small, "SetOutputFilter cat"),
        harness.location("/headers/small", small, "Header set X-Set yes",
                         "Header always set X-Always yes"),
        harness.location("/damaged", damaged(small, folder)),
        "ExtFilterDefine cat cmd=/bin/cat",
        'CustomLog "%s/coding.log" "%%U %%{Content-Encoding}o"' % folder,
        "Protocols h2c http/1.1",
        "Listen 127.0.0.1:%d" % tls,
        "<VirtualHost 127.0.0.1:%d>" % tls,
        "  SSLEngine on",
        '  SSLCertificateFile "%s"' % cert,
        '  SSLCertificateKeyFile "%s"' % key,
        "  Protocols h2 http/1.1",
        "</VirtualHost>"])
    with harness.Httpd(folder, request.param, config,
                       modules=MODULES) as running:
        running.tls = "https://127.0.0.1:%d" % tls
        yield running


#: For what takes long.
one_mpm = pytest.mark.parametrize("server", ["event"], indirect=True)


def ask(server, location, name, **headers):
    """The answer to one of REQUESTS."""
    method, path, head, body = REQUESTS[name]
    return server.request(method, location + "/small" + path, body,
                          dict(head, **headers))


def comparable(answer, location=""):
    """Status and body, wherever the location is."""
    answer.body = answer.body.replace(location.encode() + b"/small", b"/small")
    if answer.status != 207:
        return answer.status, sorted(answer.body.split(b"\n"))
    return answer.status, {  # properties come in any order
        href: {name: (status, prop.value())
               for name, (status, prop) in props.items()}
        for href, props in answer.properties().items()}


def plain(server, name):
    """What the answer is without a filter."""
    return comparable(ask(server, "", name))


# ---- compression ----

@pytest.mark.parametrize("name", REQUESTS)
def test_compressed_answers_are_the_same_ones(name, server):
    answer = ask(server, "/deflate", name, **{"Accept-Encoding": "gzip"})
    if answer.header("Content-Encoding") == "gzip":
        answer.body = gzip.decompress(answer.body)
        assert "Accept-Encoding" in answer.header("Vary")
    else:
        assert name in ("head", "missing", "refused", "session", "keywords")
    assert comparable(answer, "/deflate") == plain(server, name)


def test_a_compressed_answer_has_a_tag_of_its_own(server):
    tags = [ask(server, "/deflate", "file", **head).header("ETag")
            for head in ({}, {"Accept-Encoding": "gzip"})]
    assert tags == ['"6//trunk/alpha.txt"', '"6//trunk/alpha.txt-gzip"']


@ours_only
@pytest.mark.parametrize("spec", ["5-20", "5-20,30-40,-7"])
def test_ranges_are_those_of_the_text_and_not_compressed(spec, server):
    # mod_dav_svn: 200 and all of it
    head = {"Range": "bytes=" + spec, "Accept-Encoding": "gzip"}
    answer = ask(server, "/deflate", "file", **head)
    assert answer.status == 206
    assert answer.header("Content-Encoding") is None
    assert answer.header("ETag") == '"6//trunk/alpha.txt"'
    assert answer.body.count(ask(server, "", "file").body[5:21]) == 1
    assert len(answer.body) == int(answer.header("Content-Length"))


@ours_only
def test_a_compressed_text_is_not_resumed_with_bytes_of_the_other(server):
    head = {"Range": "bytes=5-20", "Accept-Encoding": "gzip",
            "If-Range": '"6//trunk/alpha.txt-gzip"'}
    answer = ask(server, "/deflate", "file", **head)
    assert answer.status == 200
    assert gzip.decompress(answer.body) == ask(server, "", "file").body


@pytest.mark.parametrize("path,compressed", [
    ("/trunk/alpha.txt", True), ("/trunk/", True), ("/trunk/big.bin", False)])
def test_only_the_types_that_are_named_are_compressed(path, compressed,
                                                      server):
    answer = server.request("GET", "/typed/small" + path,
                            headers={"Accept-Encoding": "gzip"})
    assert (answer.header("Content-Encoding") == "gzip") == compressed


def test_compressed_deltas_make_the_text(server):
    texts = [server.request("GET", "/small/!svn/rvr/%d/trunk/big.bin" % rev)
             .body for rev in (1, 8)]
    for location in ("/typed/small", "/deflate/small"):
        answer = server.request(
            "GET", location + "/!svn/rvr/8/trunk/big.bin", headers={
                "X-SVN-VR-Base": location + "/!svn/ver/1/trunk/big.bin",
                "Accept-Encoding": "gzip,svndiff1;q=0.9"})
        assert answer.header("Content-Type") == "application/vnd.svn-svndiff"
        coding = answer.header("Content-Encoding")
        assert location == "/deflate/small" or coding is None
        delta = gzip.decompress(answer.body) if coding else answer.body
        assert svndiff.apply(texts[0], delta) == texts[1]


def assert_reads_the_same(client, url, small, folder, *options):
    """A stock client gets from a URL what it gets from file://."""
    client.out(*options, "checkout", "-q", "-r", "12", url,
               os.path.join(folder, "wc"))
    client.out(*options, "update", "-q", os.path.join(folder, "wc"))
    client.out("export", "-q", "file://" + small, os.path.join(folder, "is"))
    assert harness.tree(os.path.join(folder, "wc")) == harness.tree(
        os.path.join(folder, "is"))
    for command in (["log", "-v"], ["ls", "-R"]):
        out = [sorted(client.out(*options, *command, u).splitlines())
               for u in (url, "file://" + small)]
        assert out[0] == out[1]


@one_mpm
@pytest.mark.parametrize("bulk", ["yes", "no"])
def test_stock_clients_read_what_is_compressed(bulk, server, small, folder):
    client = harness.Client(folder, http_bulk_updates=bulk,
                            http_compression="yes")
    assert_reads_the_same(client, server.base + "/deflate/small", small, folder)
    with open(os.path.join(server.folder, "coding.log")) as inp:
        assert re.search(r"^/deflate/small/!svn/\S+ gzip$", inp.read(), re.M)


@pytest.mark.parametrize("name", ["properties", "members", "session", "log",
                                  "refused"])
def test_compressed_bodies_are_understood(name, server):
    method, path, head, body = REQUESTS[name]
    answer = server.request(
        method, "/deflate/small" + path, gzip.compress(body.encode()),
        dict(head, **{"Content-Encoding": "gzip"}))
    assert comparable(answer, "/deflate") == plain(server, name)


def items(count):
    """Elements that do not compress too well to be let through."""
    return "".join("<D:p%x/>" % (n * 2654435761 % 2**32)
                   for n in range(count))


@ours_only
@one_mpm
@pytest.mark.parametrize("method,path,before,after", [
    ("PROPFIND", "/trunk", '<D:propfind xmlns:D="DAV:"><D:prop>',
     "</D:prop></D:propfind>"),
    ("OPTIONS", "/trunk", '<D:options xmlns:D="DAV:">', "</D:options>")])
def test_limits_count_what_compressed_bodies_hold(method, path, before, after,
                                                  server):
    body = gzip.compress((before + items(600000) + after).encode(), 1)
    answer = server.request(
        method, "/deflate/small" + path, body,
        {"Depth": "0", "Content-Encoding": "gzip"})
    assert answer.status in (400, 413)
    assert re.search(rb"more than \d+|larger than \d+|longer than \d+",
                     answer.body), answer.body


# ---- filters that look at or change answers ----

@pytest.mark.parametrize("name", sorted(set(REQUESTS) - {"head"}))
def test_answers_pass_a_program(name, server):
    assert comparable(ask(server, "/cat", name), "/cat") == plain(server, name)


@pytest.mark.parametrize("name", REQUESTS)
def test_headers_are_set_on_each_kind_of_answer(name, server):
    answer = ask(server, "/headers", name)
    assert answer.header("X-Always") == "yes"
    if answer.status < 400:
        assert answer.header("X-Set") == "yes"
    assert comparable(answer, "/headers") == plain(server, name)


# ---- TLS ----

def https(server, method, path, body=None, headers=None):
    """A request by TLS."""
    conn = http.client.HTTPSConnection(
        urllib.parse.urlsplit(server.tls).netloc, timeout=60,
        context=ssl._create_unverified_context())
    answer = server.request(method, path, body, headers, conn)
    conn.close()
    return answer


@pytest.mark.parametrize("name", REQUESTS)
def test_answers_by_tls_are_the_same_ones(name, server):
    method, path, head, body = REQUESTS[name]
    answer = https(server, method, "/small" + path, body, head)
    assert comparable(answer) == plain(server, name)


def test_redirects_stay_with_tls(server):
    for path, target in (("/small/trunk", "/small/trunk/"),
                         ("/small/trunk/alpha.txt?r=3",
                          "/small/trunk/a.txt?p=3")):
        answer = https(server, "GET", path)
        assert answer.header("Location") == server.tls + target


TRUST = ["--trust-server-cert-failures=unknown-ca,cn-mismatch"]


@one_mpm
def test_stock_clients_read_by_tls(server, small, folder):
    assert_reads_the_same(harness.Client(folder), server.tls + "/small", small,
                          folder, *TRUST)


def test_stock_clients_read_by_ipv6(small, folder):
    with socket.socket(socket.AF_INET6) as sock:
        try:
            sock.bind(("::1", 0))
        except OSError:
            pytest.skip("no IPv6 here")
        port = sock.getsockname()[1]
    server = harness.Httpd(folder, config=harness.location("/small", small),
                           head="Listen [::1]:%d" % port)
    with server:
        url = "http://[::1]:%d/small" % port
        assert_reads_the_same(harness.Client(folder), url, small, folder)
        answer = server.request("GET", "/small/trunk",
                                headers={"Host": "[::1]:%d" % port})
        assert answer.header("Location") == url + "/trunk/"


# ---- HTTP/2 ----

def curl(*args):
    """Run curl; (exit code, what -w says, standard error)."""
    done = harness.run(["curl", "-sS", "-k", "-m", "60"] + list(args),
                       check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


#: prefork does not speak it.
http2 = pytest.mark.parametrize("server", ["worker", "event"], indirect=True)

#: How HTTP/2 is begun: curl's options, and whether by TLS.
BEGINNINGS = {"tls": ("--http2", True), "upgrade": ("--http2", False),
              "at once": ("--http2-prior-knowledge", False)}


# curl upgrades no request with a body, and takes no long answer to one.
@http2
@pytest.mark.parametrize("name,begin", [
    (name, begin) for name in REQUESTS for begin in BEGINNINGS
    if begin != "upgrade" or name in ("file", "listing", "missing")])
def test_answers_by_http2_are_the_same_ones(name, begin, server, folder):
    option, tls = BEGINNINGS[begin]
    method, path, head, body = REQUESTS[name]
    out = os.path.join(folder, "out")
    args = [option, "-w", "%{http_code} %{http_version}", "-o", out]
    args += ["-I"] if method == "HEAD" else ["-X", method]
    for key, value in head.items():
        args += ["-H", "%s: %s" % (key, value)]
    if body:
        args += ["--data", body, "-H", "Content-Type: text/xml"]
    code, said, err = curl(*args, (server.tls if tls else server.base)
                           + "/small" + path)
    assert code == 0, err
    status, version = said.split()
    assert version == "2"
    with open(out, "rb") as inp:
        data = b"" if method == "HEAD" else inp.read()
    assert comparable(harness.Answer(int(status), [], data)) == plain(
        server, name)


@http2
def test_many_streams_of_a_connection_are_served_at_once(server, folder):
    names = ("binary", "log", "members", "listing", "file", "missing")
    wanted = {name: plain(server, name)[1] for name in names}
    outputs = {}
    config = []
    for number in range(240):
        name = names[number % 6]
        method, path, head, body = REQUESTS[name]
        out = os.path.join(folder, str(number))
        outputs[out] = name
        config.append("\n".join(
            ['url = "%s/small%s"' % (server.tls, path), "request = " + method,
             "insecure", "http2", 'output = "%s"' % out,
             'write-out = "%{http_version} %{num_connects}\\n"']
            + ['header = "%s: %s"' % pair for pair in head.items()]
            + (['data = "%s"' % body.replace('"', '\\"')] if body else [])))
    with open(os.path.join(folder, "config"), "w") as out:
        out.write("\nnext\n".join(config) + "\n")
    code, said, err = curl("--parallel", "--parallel-max", "100", "-K",
                           os.path.join(folder, "config"))
    assert code == 0, err
    lines = said.split("\n")[:-1]
    assert len(lines) == 240
    assert {line.split()[0] for line in lines} == {"2"}
    assert sum(int(line.split()[1]) for line in lines) < 100
    for out, name in outputs.items():
        with open(out, "rb") as inp:
            answer = harness.Answer(200, [], inp.read())
        if name == "members":
            answer.status = 207
        assert comparable(answer)[1] == wanted[name], name


@ours_only
@http2
def test_a_damaged_text_does_not_end_well_by_http2(server, folder):
    args = ["--http2-prior-knowledge", "-o", os.path.join(folder, "out"),
            "-w", "%{http_code}"]
    code, said, _ = curl(*args, server.base + "/damaged/trunk/long.bin")
    assert (code, said) == (92, "200")  # the stream was not closed cleanly
    code, said, _ = curl(*args, "-X", "REPORT", "-H", "Content-Type: text/xml",
                         "--data", CHECKOUT % ("/damaged", 15),
                         server.base + "/damaged/!svn/me")
    with open(os.path.join(folder, "out"), "rb") as inp:
        assert code == 92 or b"</S:update-report>" not in inp.read()
    assert server.request("GET", "/small/trunk/alpha.txt").status == 200


@http2
def test_clients_of_http2_may_leave(server):
    for _ in range(5):
        code, _, _ = curl("--http2-prior-knowledge", "-m", "0.3",
                          "--limit-rate", "1k", "-o", "/dev/null",
                          server.base + "/small/trunk/big.bin")
        assert code == 28  # it took too long
    assert server.request("GET", "/small/trunk/alpha.txt").status == 200
    harness.wait_until(lambda: harness.settled(server.children()), 20,
                       "the server is still at work")


# ---- caches ----

def cache(folder, *lines):
    """Configuration of a cache that all requests pass first."""
    root = os.path.join(folder, "cache")
    os.mkdir(root)
    os.chmod(root, 0o777)
    return "\n".join([
        "CacheQuickHandler on", "CacheEnable disk /",
        'CacheRoot "%s"' % root, "CacheHeader on",
        "CacheMinFileSize 0"] + list(lines))


PINNED = "/svn/!svn/rvr/2/trunk/a.txt"


def hit(answer):
    """Whether it came out of the cache."""
    return answer.header("X-Cache", "").startswith("HIT")


@ours_only
def test_a_cache_keeps_what_all_may_read(folder, small):
    config = cache(folder) + "\n" + harness.location("/svn", small)
    with harness.Httpd(folder, config=config, modules=MODULES) as server:
        first, second = [server.request("GET", PINNED) for _ in range(2)]
        assert not hit(first) and hit(second)
        assert first.body == second.body
        for _ in range(3):  # asks again each time
            answer = server.request("GET", "/svn/trunk/alpha.txt")
            assert answer.status == 200
            assert answer.body.startswith(b"line 0\n")
        tag = answer.header("ETag")
        for headers, status in (({"If-None-Match": tag}, 304),
                                ({"If-None-Match": '"x"'}, 200)):
            assert server.request("GET", "/svn/trunk/alpha.txt",
                                  headers=headers).status == status


@ours_only
def test_a_cache_does_not_mix_up_deltas(folder, small):
    config = cache(folder) + "\n" + harness.location("/svn", small)
    with harness.Httpd(folder, config=config, modules=MODULES) as server:
        def delta(base, accept):
            return server.request("GET", PINNED, headers={
                "X-SVN-VR-Base": "/svn/!svn/rvr/%s" % base,
                "Accept-Encoding": accept})

        found = [delta("1/trunk/a.txt", accept) for accept in
                 ("svndiff2", "svndiff", "svndiff2", "svndiff")]
        assert [a.body[3] for a in found] == [2, 0, 2, 0]
        assert hit(found[2]) and hit(found[3])
        other = delta("1/trunk/lib/b.c", "svndiff2")
        assert not hit(other)
        texts = [server.request("GET", "/svn/!svn/rvr/1/trunk/" + name).body
                 for name in ("a.txt", "lib/b.c")]
        for base, answer in zip(texts, (found[2], other)):
            assert svndiff.apply(base, answer.body).startswith(b"line 0\n")
        text = server.request("GET", PINNED)
        assert not hit(text) and text.body.startswith(b"line 0\n")


SECRET = ["/svn/trunk/lib/", "/svn/trunk/lib", "/svn/trunk/lib/b.c",
          "/svn/!svn/rvr/2/trunk/lib/b.c", "/svn/trunk/lib/b.c?p=2",
          "/svn/trunk/", "/svn/!svn/rvr/5/trunk/", "/svn/trunk/?p=5"]

#: Who is asked for: httpd's line, headers of one that may, of one that may not.
ANN = harness.as_user("ann")
USERS = {
    "by password": ("Require user ann", ANN, harness.as_user("ben")),
    "by a header": ("Require expr %{HTTP:X-Who} == 'ann'", {"X-Who": "ann"},
                    {}),
}


@ours_only
@pytest.mark.parametrize("kind", USERS)
def test_no_cache_gives_one_user_what_another_may_read(kind, folder, small):
    require, may, may_not = USERS[kind]
    config = "\n".join([
        cache(folder), harness.location("/svn", small, *(
            harness.login(folder, "ann", "ben") + ["Require valid-user"]
            if may is ANN else [])),
        '<LocationMatch "/lib(/|$)">', require, "</LocationMatch>"])
    with harness.Httpd(folder, config=config, modules=MODULES) as server:
        for path in SECRET:
            shown = server.request("GET", path, headers=may)
            assert shown.status in (200, 301)
            assert shown.header("Cache-Control") == "private, no-cache"
            found = server.request("GET", path, headers=may_not)
            assert not hit(found)
            if "/lib" in path:
                assert found.status in (401, 403, 404)
                assert b"beta" not in found.body
                continue
            assert b'"lib/' in shown.body
            assert b'"lib/' not in found.body
            # Nothing of the listing tells the two apart, so nothing is kept.
            assert shown.header("ETag") is None
            assert shown.header("Last-Modified") is None
            tag = 'W/"13//trunk"'
            assert server.request("GET", path, headers=dict(
                may_not, **{"If-None-Match": tag})).status == 200


@ours_only
def test_a_browser_asks_again_before_it_shows_a_file(folder, small):
    config = harness.location("/svn", small, "Require expr true")
    with harness.Httpd(folder, config=config, modules=MODULES) as server:
        answer = server.request("GET", PINNED)
        assert answer.header("Cache-Control") == "private, no-cache"
        again = server.request("GET", PINNED, headers={
            "If-None-Match": answer.header("ETag")})
        assert again.status == 304
        assert again.header("Cache-Control") == "private, no-cache"
