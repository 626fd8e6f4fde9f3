# SPDX-License-Identifier: Apache-2.0
"""Requests by hand: what is answered equals mod_dav_svn's answer.

Deliberate differences stand in tables of their own, each with its reason.
"""

import base64
import email
import html.parser
import os
import re
import shutil
import urllib.parse

import pytest

import differ
import harness
import svndiff
from differ import OPTIONS, element, propfind, report, update

ours_only = pytest.mark.skipif(harness.PEER, reason="differs on purpose")

SVN = {"User-Agent": "SVN/1.14.2 (x86_64-pc-linux-gnu) serf/1.3.9"}


def locations(parent, small, peer):
    """The same locations for either server."""
    def setting(name, value):
        return harness.directive(name, value, peer=peer)

    name = "SVNReposName" if peer else "RepoName"
    return "\n".join([
        harness.location("/small", small, peer=peer),
        harness.location("/bulk", small,
                         setting("AllowBulkUpdates", "prefer"), peer=peer),
        harness.location("/nobulk", small,
                         setting("AllowBulkUpdates", "off"), peer=peer),
        harness.location("/old", small,
                         setting("AdvertiseV2Protocol", "off"), peer=peer),
        harness.location("/xml", small, setting("IndexXSLT", '"/i.xsl"'),
                         name + ' "A & B"', peer=peer),
        harness.location("/named", small, name + ' "A <b> & B"', peer=peer),
        harness.location("/list", parent, setting("ListParentPath", "on"),
                         parent=True, peer=peer),
        harness.location("/many", parent, parent=True, peer=peer),
    ])


@pytest.fixture(scope="module")
def pair(work, small):
    """(server under test, mod_dav_svn), serving the same repositories."""
    parent = os.path.join(work, "http-parent")
    os.makedirs(os.path.join(parent, "no repository"))
    for name in ("one", "two & \u00e4"):
        shutil.copytree(small, os.path.join(parent, name))
    os.symlink(small, os.path.join(parent, "linked"))
    with open(os.path.join(parent, "file"), "w") as out:
        out.write("no folder\n")
    harness.readable(parent)
    servers = [
        harness.Httpd(os.path.join(work, "http-" + name), mpm,
                      locations(parent, small, peer), peer=peer,
                      head="SVNUseUTF8 on")
        for name, mpm, peer in (("ours", "event", harness.PEER),
                                ("peer", "worker", True))]
    with servers[0], servers[1]:
        yield servers


@pytest.fixture
def server(pair):
    """The server under test."""
    return pair[0]


V = "http://subversion.tigris.org/xmlns/dav/|"
STAT = propfind("resourcetype", "getcontentlength", V + "deadprop-count",
                "version-name", "creationdate", "creator-displayname")
EVERY = propfind(
    "resourcetype", "getcontentlength", "getcontenttype", "getetag",
    "creationdate", "getlastmodified", "version-name", "creator-displayname",
    "checked-in", "baseline-collection", "version-controlled-configuration",
    "auto-version", "displayname", "no-such-property",
    V + "baseline-relative-path", V + "md5-checksum", V + "sha1-checksum",
    V + "repository-uuid", V + "deadprop-count", V + "none",
    "http://subversion.tigris.org/xmlns/svn/|eol-style",
    "http://subversion.tigris.org/xmlns/custom/|color")


# ---- OPTIONS ----

@pytest.mark.parametrize("body", [OPTIONS, '<D:options xmlns:D="DAV:" />',
                                  None], ids=["full", "probe", "empty"])
@pytest.mark.parametrize("path", [
    "/small", "/small/", "/small/trunk", "/small/trunk/alpha.txt",
    "/small/none", "/small/none/deeper", "/bulk/", "/nobulk", "/old/trunk",
    "/many/one", "/many/one/trunk", "/small/!svn/rvr/5/trunk"])
def test_options(path, body, pair):
    # The methods of writing that are allowed differ: see the test below.
    differ.assert_same(*pair, "OPTIONS", path, SVN, body, ignore=["allow"])


def test_options_allow_the_methods_of_reading(server):
    allow = server.request("OPTIONS", "/small/trunk").header("Allow")
    words = {word.strip() for word in allow.split(",")}
    assert {"OPTIONS", "GET", "HEAD", "PROPFIND"} <= words


@ours_only
def test_options_of_a_repository_with_an_odd_name(server):
    # mod_dav_svn: the address in the body is not encoded, nor valid XML
    answer = server.request("OPTIONS", "/many/two%20%26%20%C3%A4", OPTIONS)
    assert answer.header("SVN-Repository-Root") == "/many/two%20&%20%C3%A4"
    found = answer.element().one("DAV:activity-collection-set").one("DAV:href")
    assert found.text == "/many/two%20&%20%C3%A4/!svn/act/"


@ours_only
def test_options_of_the_list_of_repositories(server):
    answer = server.request("OPTIONS", "/list/")
    assert answer.status == 200  # mod_dav_svn: 500
    assert answer.header("DAV")


# ---- PROPFIND ----

TREE = ["/small", "/small/", "/small/trunk", "/small/trunk/",
        "/small/trunk/alpha.txt", "/small/trunk/lib/b.c", "/small/trunk/empty",
        "/small/trunk/big.bin", "/small/trunk/manual/sub%20dir",
        "/small/trunk/manual/100%25;%23x.txt",
        "/small/trunk/manual/%C3%A4%C3%B6%C3%BC.txt",
        "/small/branches/b1/lib",
        "/small/!svn/rvr/5/trunk/a.txt", "/small/!svn/rvr/5/trunk",
        "/small/!svn/rvr/0/", "/small/!svn/rvr/0", "/small/!svn/rvr/14",
        "/small/!svn/bc/5/trunk/", "/small/!svn/bc/4/branches/b1/lib/b.c",
        "/small/!svn/bc/7/", "/small/trunk?p=3", "/old/trunk",
        "/many/one/trunk/lib", "/xml/trunk"]
BAGS = ["/small/!svn/me", "/small/!svn/vcc/default", "/small/!svn/rev/2",
        "/small/!svn/rev/0", "/small/!svn/rev/14", "/small/!svn/bln/2",
        "/small/!svn/bln/9"]
MISSING = ["/small/none", "/small/trunk/none/deeper", "/small/!svn/rvr/1/tag",
           "/small/!svn/rvr/99/trunk", "/small/!svn/bc/15/",
           "/small/!svn/rev/99", "/small/!svn/bln/15", "/many/none",
           "/many/none/trunk", "/small/!svn/ver/99/trunk"]


@pytest.mark.parametrize("path", TREE + BAGS)
def test_propfind_of_each_property(path, pair):
    differ.assert_same(*pair, "PROPFIND", path, dict(SVN, Depth="0"), EVERY)


@pytest.mark.parametrize("path", TREE + BAGS)
def test_propfind_of_all_properties(path, pair):
    # mod_dav_svn gives two types for some files, see below.
    differ.assert_same(*pair, "PROPFIND", path, dict(SVN, Depth="0"),
                       propfind(), ignore=["DAV:getcontenttype"])


@ours_only
@pytest.mark.parametrize("node", ["2/trunk/a.txt", "5/branches/b1"])
def test_propfind_of_a_version_is_that_of_the_node(node, server):
    # mod_dav_svn: href of a baseline, size "###error###" of directories
    found = []
    for form in ("ver", "rvr"):
        answer = server.request("PROPFIND", "/small/!svn/%s/%s" % (form, node),
                                EVERY, dict(SVN, Depth="0"))
        (href, props), = answer.properties().items()
        assert href.rstrip("/") == "/small/!svn/%s/%s" % (form, node)
        found.append({name: (status, prop.value())
                      for name, (status, prop) in props.items()
                      if name.startswith("DAV:get") or "checksum" in name
                      or name in ("DAV:resourcetype", "DAV:version-name",
                                  "DAV:creationdate")})
    assert found[0] == found[1]


@ours_only
def test_the_tag_of_propfind_is_that_of_get(server):
    # mod_dav_svn: not if the path holds '&'
    path = "/small/trunk/manual/read%20me%20&%20more.txt"
    answer = server.request("PROPFIND", path, propfind("getetag"),
                            {"Depth": "0"})
    (props,) = answer.properties().values()
    assert props["DAV:getetag"][1].text == server.request(
        "GET", path).header("ETag")


@pytest.mark.parametrize("path", MISSING)
def test_propfind_of_what_is_missing(path, pair):
    differ.assert_same(*pair, "PROPFIND", path, dict(SVN, Depth="0"), STAT)


@pytest.mark.parametrize("body", [STAT, propfind()], ids=["stat", "all"])
@pytest.mark.parametrize("path", [
    "/small", "/small/trunk", "/small/trunk/alpha.txt", "/small/trunk/manual/",
    "/small/!svn/rvr/4/trunk/doc", "/small/!svn/bc/13/", "/many/one/"])
def test_propfind_of_the_members(path, body, pair):
    differ.assert_same(*pair, "PROPFIND", path, dict(SVN, Depth="1"), body,
                       ignore=["DAV:getcontenttype", "DAV:getetag"])


@pytest.mark.parametrize("headers,path", [
    ({"Depth": "infinity"}, "/small/trunk"), ({}, "/small/trunk"),
    ({"Depth": "2"}, "/small/trunk"), ({"Depth": "x"}, "/small/trunk"),
    ({"Depth": "0", "Label": "5"}, "/small/!svn/vcc/default"),
    ({"Depth": "0", "Label": "99"}, "/small/!svn/vcc/default"),
    ({"Depth": "0", "Label": "5"}, "/small/trunk"),
    ({"Depth": "0", "Label": "5"}, "/old/!svn/vcc/default"),
], ids=repr)
def test_propfind_with_odd_headers(headers, path, pair):
    differ.assert_same(*pair, "PROPFIND", path, dict(SVN, **headers), EVERY)


@pytest.mark.parametrize("body", [
    "<propfind", "", '<other xmlns="DAV:"/>', '<propfind xmlns="DAV:"/>',
    '<propfind xmlns="DAV:"><propname/></propfind>', "text",
    '<propfind xmlns="DAV:"><prop/></propfind>'], ids=repr)
def test_propfind_with_odd_bodies(body, pair):
    differ.assert_same(*pair, "PROPFIND", "/small/trunk/alpha.txt",
                       dict(SVN, Depth="0"), body)


def test_propfind_of_locks(pair):
    body = propfind("lockdiscovery", "supportedlock")
    for path in ("/small/trunk/alpha.txt", "/small/trunk/lib/b.c",
                 "/small/trunk"):
        differ.assert_same(*pair, "PROPFIND", path, dict(SVN, Depth="0"), body)


def test_propfind_shows_the_holder_of_a_lock_in_headers(pair):
    found = [s.request("PROPFIND", "/small/trunk/alpha.txt",
                       propfind("lockdiscovery"), dict(SVN, Depth="0"))
             for s in pair]
    for name in ("X-SVN-Lock-Owner", "X-SVN-Creation-Date"):
        assert found[0].header(name) == found[1].header(name)
    assert found[0].header("X-SVN-Lock-Owner") == "ann"


@ours_only
def test_other_clients_get_each_type_once(server):
    answer = server.request("PROPFIND", "/small/trunk/alpha.txt", propfind(),
                            {"Depth": "0"})
    types = [p.text for p in answer.element().one("DAV:response")
             .all("DAV:propstat")[0].one("DAV:prop").children
             if p.name == "DAV:getcontenttype"]
    assert types == ["text/plain"]  # mod_dav_svn: twice, one wrong


def test_a_property_with_a_colon_keeps_its_name(server):
    answer = server.request("PROPFIND", "/small/!svn/rev/2", propfind(),
                            dict(SVN, Depth="0"))
    props = answer.properties()["/small/!svn/bln/2"]
    status, value = props[
        "http://subversion.tigris.org/xmlns/custom/extra:prop"]
    assert status == 200
    assert value.text.strip() == "AAFiaW5hcnn/"
    assert value.attributes == {
        "http://subversion.tigris.org/xmlns/dav/encoding": "base64"}


# ---- GET and HEAD ----

FILES = ["/small/trunk/alpha.txt", "/small/trunk/lib/b.c",
         "/small/trunk/empty", "/small/trunk/big.bin",
         "/small/trunk/manual/%C3%A4%C3%B6%C3%BC.txt",
         "/small/trunk/manual/100%25;%23x.txt",
         "/small/trunk/manual/read%20me%20&%20more.txt",
         "/small/trunk/manual/sub%20dir",
         "/small/!svn/rvr/3/branches/b1/a.txt", "/small/!svn/bc/1/trunk/a.txt",
         "/small/!svn/ver/1/trunk/a.txt", "/small//trunk//alpha.txt",
         "/small/!svn//rvr/3//trunk/a.txt", "/many/one/trunk/alpha.txt",
         "/many/two%20%26%20%C3%A4/trunk/lib/b.c"]
DIRECTORIES = ["/small", "/small/", "/small/trunk", "/small/trunk/",
               "/small/trunk/manual/", "/small/!svn/rvr/4/trunk/doc/",
               "/small/!svn/rvr/4/trunk/doc", "/small/!svn/bc/0/",
               "/small/!svn/bc/5", "/list", "/many/one", "/xml/trunk",
               "/small/trunk/?p=7", "/small/trunk?p=7", "/small/?p=0",
               "/many/one/trunk/lib/"]


@pytest.mark.parametrize("agent", [SVN, {}], ids=["svn", "other"])
@pytest.mark.parametrize("path", FILES + DIRECTORIES)
def test_get(path, agent, pair):
    differ.assert_same(*pair, "GET", path, agent)


@pytest.mark.parametrize("path", FILES + DIRECTORIES)
def test_head_is_get_without_a_body(path, server):
    got = server.request("GET", path)
    head = server.request("HEAD", path)
    assert head.body == b""
    assert head.status == got.status
    for name in ("ETag", "Content-Type", "Cache-Control", "Location",
                 "Last-Modified", "Accept-Ranges"):
        assert head.header(name) == got.header(name)
    if got.header("Content-Length") and path in FILES:
        assert head.header("Content-Length") == str(len(got.body))


@pytest.mark.parametrize("path", MISSING + [
    "/small/!svn", "/small/!svn/", "/small/!svn/xyz/3", "/small/!svn/act/",
    "/small/!svn/rvr", "/small/!svn/rvr/", "/small/trunk/alpha.txt/below",
    "/small/trunk/alpha.txt/", "/small/trunk?p=99", "/many", "/many/",
    "/many/file", "/small/!svn/me", "/small/!svn/rev/5",
    "/small/!svn/vcc/default"])
def test_get_of_what_is_not_there_to_get(path, pair):
    differ.assert_same(*pair, "GET", path, SVN)
    head = pair[0].request("HEAD", path, headers=SVN)
    assert head.body == b""
    if not harness.PEER:  # mod_dav_svn: HEAD of what has no text is 200
        assert head.status == pair[0].request("GET", path).status


@pytest.mark.parametrize("path", FILES)
def test_files_have_a_length(path, server):
    answer = server.request("GET", path)
    assert answer.header("Content-Length") == str(len(answer.body))
    assert answer.header("Accept-Ranges") == "bytes"


@pytest.mark.parametrize("path", ["/small/trunk/alpha.txt",
                                  "/small/!svn/rvr/3/trunk/a.txt",
                                  "/small/trunk/"])
@pytest.mark.parametrize("header", ["If-None-Match", "If-Match"])
@pytest.mark.parametrize("value", ["match", '"other"', "*",
                                   '"x", {}, "y"', "W/{}"])
def test_conditions_on_the_tag(path, header, value, pair):
    tag = pair[1].request("GET", path).header("ETag")
    value = tag if value == "match" else value.format(tag)
    differ.assert_same(*pair, "GET", path, {header: value},
                       ignore=["content-type"])


@pytest.mark.parametrize("header", ["If-Modified-Since",
                                    "If-Unmodified-Since"])
@pytest.mark.parametrize("date", ["Mon, 04 Mar 2024 10:00:00 GMT",
                                  "Fri, 01 Mar 2030 10:00:00 GMT",
                                  "yesterday"])
def test_conditions_on_the_date(header, date, pair):
    differ.assert_same(*pair, "GET", "/small/trunk/lib/b.c", {header: date},
                       ignore=["content-type"])


# ---- query arguments ----

@pytest.mark.parametrize("path", [
    "trunk/alpha.txt?p=8", "trunk/a.txt?p=3", "trunk/alpha.txt?r=3",
    "trunk/alpha.txt?p=9&r=3", "trunk/alpha.txt?r=14", "trunk/alpha.txt?p=r8",
    "trunk/alpha.txt?p=3", "trunk/alpha.txt?p=3&r=9", "trunk/alpha.txt?x=y",
    "trunk/none?p=3", "trunk/manual/?r=2", "trunk/manual?r=2",
    "tags/t1?p=14&r=5", "tags/t1/lib/b.c?r=9", "trunk/lib/b.c?kw=1",
    "trunk/lib/b.c?p=5&kw=1", "trunk/lib/b.c?r=5&kw=1", "trunk/?p=4&kw=1",
    "trunk/lib/b.c?kw=0", "branches/b1/lib/n.c?p=12&r=11",
    "trunk/alpha.txt?p=14&r=14"])
def test_query_arguments(path, pair):
    differ.assert_same(*pair, "GET", "/small/" + path)


def test_keywords_are_expanded_on_demand(server):
    plain = server.request("GET", "/small/!svn/rvr/2/trunk/lib/b.c")
    assert plain.body == b"beta\n"


# ---- ranges ----

BIG = "/small/trunk/big.bin"


@pytest.fixture(scope="module")
def big(pair):
    return pair[1].request("GET", BIG).body


@ours_only
@pytest.mark.parametrize("path", [BIG, "/small/!svn/rvr/8/trunk/big.bin",
                                  "/small/trunk/big.bin?p=8"])
@pytest.mark.parametrize("spec,start,end", [
    ("0-0", 0, 1), ("100-199", 100, 200), ("-50", 239958, 240008),
    ("240007-", 240007, 240008), ("239000-999999", 239000, 240008),
    ("0-", 0, 240008), ("102399-102400", 102399, 102401),
    ("-999999", 0, 240008)])
def test_a_range_is_sent_alone(path, spec, start, end, server, big):
    answer = server.request("GET", path, headers={"Range": "bytes=" + spec})
    assert answer.status == 206  # mod_dav_svn: 200 and all of it
    assert answer.body == big[start:end]
    assert answer.header("Content-Range") == "bytes %d-%d/240008" % (
        start, end - 1)
    assert answer.header("Content-Length") == str(end - start)


@ours_only
@pytest.mark.parametrize("spec", ["240008-", "300000-400000", "-0"])
def test_a_range_behind_the_end_is_416(spec, server):
    answer = server.request("GET", BIG, headers={"Range": "bytes=" + spec})
    assert answer.status == 416
    assert answer.header("Content-Range") == "bytes */240008"


@pytest.mark.parametrize("spec", ["bytes=5-3", "lines=0-1", "bytes=x-y",
                                  "bytes=", "bytes"])
def test_a_range_that_does_not_parse_is_ignored(spec, server, big):
    answer = server.request("GET", BIG, headers={"Range": spec})
    assert answer.status == 200
    assert answer.body == big


@ours_only
def test_several_ranges_come_in_parts(server, big):
    answer = server.request("GET", BIG,
                            headers={"Range": "bytes=0-9,1000-1009,-5"})
    assert answer.status == 206
    assert len(answer.body) == int(answer.header("Content-Length"))
    message = email.message_from_bytes(
        b"Content-Type: " + answer.header("Content-Type").encode()
        + b"\r\n\r\n" + answer.body)
    parts = message.get_payload()
    assert [p["Content-Range"] for p in parts] == [
        "bytes 0-9/240008", "bytes 1000-1009/240008",
        "bytes 240003-240007/240008"]
    assert b"\r\n\r\n" + big[1000:1010] + b"\r\n--" in answer.body


@ours_only
def test_if_range_with_the_tag_gives_the_range(server, big):
    tag = server.request("GET", BIG).header("ETag")
    answer = server.request("GET", BIG, headers={"Range": "bytes=5-9",
                                                 "If-Range": tag})
    assert answer.status == 206
    assert answer.body == big[5:10]


@pytest.mark.parametrize("value", ['"1//other"',
                                   "Mon, 01 Jan 2001 10:00:00 GMT"])
def test_if_range_that_does_not_hold_gives_all(value, server, big):
    answer = server.request("GET", BIG, headers={"Range": "bytes=5-9",
                                                 "If-Range": value})
    assert answer.status == 200
    assert answer.body == big


@ours_only
def test_ranges_of_other_things_than_files_are_ignored(server):
    whole = server.request("GET", "/small/trunk/")
    part = server.request("GET", "/small/trunk/",
                          headers={"Range": "bytes=0-5"})
    assert part.status in (200, 206)
    assert part.body in (whole.body, whole.body[:6])


# ---- deltas ----

DELTAS = [("1/trunk/a.txt", "2/trunk/a.txt"),
          ("14/trunk/alpha.txt", "1/trunk/a.txt"),
          ("1/trunk/a.txt", "8/trunk/alpha.txt"),
          ("1/trunk/big.bin", "8/trunk/big.bin"),
          ("8/trunk/big.bin", "1/trunk/big.bin"),
          ("1/trunk/empty", "1/trunk/a.txt"),
          ("1/trunk/a.txt", "1/trunk/empty"),
          ("5/branches/b1/lib/b.c", "8/trunk/lib/b.c"),
          ("2/trunk/a.txt", "2/trunk/a.txt")]


@pytest.mark.parametrize("accept,version", [
    (None, 0), ("svndiff", 0), ("gzip,svndiff1;q=0.9,svndiff2;q=0.8", 1),
    ("gzip,svndiff2;q=0.9,svndiff1;q=0.8,svndiff;q=0.7", 2)])
@pytest.mark.parametrize("form", ["rvr", "ver"])
@pytest.mark.parametrize("base,target", DELTAS)
def test_a_delta_makes_the_target(base, target, form, accept, version, pair):
    server, peer = pair
    texts = [peer.request("GET", "/small/!svn/rvr/" + p).body
             for p in (base, target)]
    vr_base = "/small/!svn/%s/%s" % (form, base)
    headers = dict(SVN, **{"X-SVN-VR-Base": vr_base})
    if accept:
        headers["Accept-Encoding"] = accept
    answer = server.request("GET", "/small/!svn/rvr/" + target,
                            headers=headers)
    assert answer.status == 200
    assert answer.header("Content-Type") == "application/vnd.svn-svndiff"
    assert answer.header("X-SVN-VR-Base") == vr_base
    assert "X-SVN-VR-Base" in answer.header("Vary")
    assert answer.body[3] == version
    assert svndiff.apply(texts[0], answer.body) == texts[1]


#: What tells caches that a delta is not the text; mod_dav_svn lacks it.
CACHES = ("etag", "vary")


@pytest.mark.parametrize("base", [
    "/small/!svn/ver/99/trunk/a.txt", "/small/!svn/ver/1/trunk/none",
    "/small/!svn/ver/1/trunk", "/small/!svn/bc/1/trunk/a.txt",
    "/small/trunk/alpha.txt", "/other/!svn/ver/1/trunk/a.txt", "nonsense",
    "", "BASE/small/!svn/ver/1/trunk/a.txt"])
def test_odd_bases_of_a_delta(base, pair):
    differ.assert_same(*pair, "GET", "/small/!svn/rvr/2/trunk/a.txt",
                       dict(SVN, **{"X-SVN-VR-Base": base}), ignore=CACHES)


@pytest.mark.parametrize("accept", [
    "gzip", "svndiff1", "svndiff2", "svndiff;q=1,svndiff1;q=0.1",
    "svndiff1;q=0.5,svndiff2;q=0.5", "svndiff2;q=0.5,svndiff1;q=0.5",
    "svndiff2;q=0", "identity", "svndiff2;q=x", "*"])
def test_version_of_a_delta_as_accepted(accept, pair):
    differ.assert_same(
        *pair, "GET", "/small/!svn/rvr/2/trunk/a.txt",
        dict(SVN, **{"X-SVN-VR-Base": "/small/!svn/ver/1/trunk/a.txt",
                     "Accept-Encoding": accept}), ignore=CACHES)


@ours_only
def test_a_delta_is_not_taken_for_the_text_by_caches(server):
    # mod_dav_svn: the tag of the text, whichever version of svndiff it is
    url = "/small/!svn/rvr/2/trunk/a.txt"
    answer = server.request("GET", url, headers={
        "X-SVN-VR-Base": "/small/!svn/ver/1/trunk/a.txt"})
    assert answer.header("Content-Type") == "application/vnd.svn-svndiff"
    assert answer.header("ETag") is None
    assert answer.header("Accept-Ranges") == "none"
    assert {v.strip() for v in answer.header("Vary").split(",")} == {
        "X-SVN-VR-Base", "Accept-Encoding"}


# ---- special URLs that name nothing ----

@ours_only
@pytest.mark.parametrize("path,status", [
    # mod_dav_svn: 500, the rest of a malformed name read as a number
    ("/small/!svn/txn/foo", 404), ("/small/!svn/txn/1-1", 404),
    ("/small/!svn/txr/1-1/trunk", 404), ("/small/!svn/rvr/x/", 404),
    ("/small/!svn/rvr/1x/trunk", 404), ("/small/!svn/rvr/-1/", 404),
    ("/small/!svn/rvr/99999999999999999999/", 404),
    ("/small/!svn/vcc/other", 404), ("/small/!svn/vcc", 404),
    ("/small/!svn/rev/x", 404), ("/small/!svn/rev", 404),
    ("/small/!svn/bln/", 404), ("/small/!svn/me/more", 404),
    # mod_dav_svn: 400
    ("/small/!svn/vtxn/none", 404), ("/small/!svn/vtxr/none/trunk", 404),
    ("/small/!svn/wrk/none/trunk", 404), ("/small/!svn/wbl/none/3", 404),
    ("/small/!svn/act/none", 404), ("/small/!svn/his/1", 404),
])
@pytest.mark.parametrize("method", ["GET", "PROPFIND"])
def test_malformed_special_urls(method, path, status, server):
    answer = server.request(method, path, headers=dict(SVN, Depth="0"))
    assert answer.status == status


@pytest.mark.parametrize("path", [
    "/small/%00", "/small/a%00b", "/small/trunk/%2e%2e/x", "/small/%",
    "/small/%zz", "/small/../small/trunk/alpha.txt", "/small/trunk/.",
    "/small/trunk/..%2fx", "/small/%ff%fe", "/small/trunk/a%0ab",
    "/many/../etc", "/many/%2e%2e/", "/many/..%2f", "/many/.", "/many/one/.."])
def test_paths_meant_to_break_out(path, server):
    answer = server.request("GET", path)
    assert 200 <= answer.status < 500
    if answer.status == 200:
        assert answer.body != b""
    assert b"/tmp/" not in answer.body


# ---- listings ----

class Links(html.parser.HTMLParser):
    """Collects the links and refuses elements that a listing has not."""

    def __init__(self):
        super().__init__()
        self.links = []

    def handle_starttag(self, tag, attrs):
        assert tag in ("html", "head", "title", "body", "h2", "ul", "li", "a",
                       "hr", "address", "em", "p", "meta", "link", "style",
                       "table", "tr", "td", "th", "h1"), tag
        if tag == "a":
            self.links.append(urllib.parse.unquote(dict(attrs)["href"]))


def links(answer):
    assert answer.status == 200
    assert answer.header("Content-Type") == "text/html; charset=UTF-8"
    parser = Links()
    parser.feed(answer.body.decode())
    return parser.links


def test_html_listing_of_a_directory(server):
    assert links(server.request("GET", "/small/trunk/manual/")) == [
        "../", "100%;#x.txt", "read me & more.txt", "sub dir",
        "\u00e4\u00f6\u00fc.txt"]


def test_html_listing_of_the_root_has_no_way_up(server):
    assert links(server.request("GET", "/small/")) == [
        "branches/", "tags/", "trunk/"]


def test_html_listing_of_an_old_revision_keeps_it(server):
    assert links(server.request("GET", "/small/trunk/doc/sub%20dir/?p=4")) == [
        "../?p=4", "[x]{y}+.txt?p=4"]


@ours_only
def test_html_listing_escapes_the_name_of_the_repository(server):
    answer = server.request("GET", "/named/")
    links(answer)
    assert b"A &lt;b&gt; &amp; B" in answer.body  # mod_dav_svn: raw
    assert b"<b>" not in answer.body


def test_xml_listing_of_a_directory(server):
    answer = server.request("GET", "/xml/trunk/manual/")
    assert answer.header("Content-Type").startswith("text/xml")
    assert b'<?xml-stylesheet type="text/xsl" href="/i.xsl"?>' in answer.body
    root = answer.xml()
    assert root.tag == "svn"
    index = root.find("index")
    assert index.attrib == {"name": "A & B", "rev": "14",
                            "path": "/trunk/manual", "base": "xml"}
    assert [(e.tag, e.get("name"), urllib.parse.unquote(e.get("href")))
            for e in index] == [("updir", None, "../")] + [
                ("file", name, name)
                for name in ("100%;#x.txt", "read me & more.txt", "sub dir",
                             "\u00e4\u00f6\u00fc.txt")]


def test_xml_listing_tells_directories(server):
    index = server.request("GET", "/xml/").xml().find("index")
    assert [(e.tag, e.get("name"), e.get("href")) for e in index] == [
        ("dir", "branches", "branches/"), ("dir", "tags", "tags/"),
        ("dir", "trunk", "trunk/")]


def test_list_of_repositories(server):
    answer = server.request("GET", "/list/")
    assert sorted(links(answer)) == sorted([
        "linked/", "no repository/", "one/", "two & \u00e4/"])
    assert b"Collection of Repositories" in answer.body


def test_listing_below_a_list_has_a_way_up(server):
    assert links(server.request("GET", "/list/one/"))[0] == "../"


def test_list_of_repositories_is_off_by_default(server):
    answer = server.request("GET", "/many/")
    assert answer.status == 403
    assert b"one" not in answer.body


@ours_only
@pytest.mark.parametrize("method,listed,hidden", [
    # mod_dav_svn: 500 for all
    ("OPTIONS", (200,), (200,)), ("PROPFIND", (207,), (403,)),
    ("PUT", (405,), (403, 405)), ("DELETE", (405,), (403, 405)),
    ("MKCOL", (405,), (403, 405)), ("LOCK", (405, 501), (403, 405, 501)),
    ("PROPPATCH", (405,), (403, 405)), ("REPORT", (405,), (403, 405)),
    ("POST", (405,), (403, 405)), ("MERGE", (405, 409), (403, 405, 409)),
    ("CHECKOUT", (405, 409), (403, 405, 409)),
])
def test_methods_on_the_list_of_repositories(method, listed, hidden, server):
    body = None
    if method == "LOCK":
        body = ('<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope>'
                "<locktype><write/></locktype></lockinfo>")
    elif method == "REPORT":
        body = report("log-report", "<S:path/>")
    elif method == "PROPPATCH":
        body = SET_COLOR
    elif method == "MERGE":
        body = MERGE
    for path, statuses in (("/list/", listed), ("/many/", hidden)):
        answer = server.request(method, path, body, {
            "Depth": "1"} if method == "PROPFIND" else {})
        assert answer.status in statuses, (path, answer.body)


@ours_only
def test_propfind_lists_the_repositories(server):
    answer = server.request("PROPFIND", "/list/", propfind("resourcetype"),
                            {"Depth": "1"})
    assert answer.status == 207
    found = {href.rstrip("/").rpartition("/")[2]
             for href in answer.properties()}
    assert {"one", "two & \u00e4", "linked"} <= found


# ---- REPORT: right and wrong ----

SRC = element("src-path", "/small/trunk")
ROOT = element("src-path", "/small")
NEW = '<S:entry rev="%d" depth="infinity" start-empty="true"></S:entry>'
AT = '<S:entry rev="%d">%s</S:entry>'
DEPTH = element("depth", "infinity")
ME = "/small/!svn/me"
VCC = "/small/!svn/vcc/default"
LOG = "/small/!svn/rvr/14/"


def to(rev):
    return element("target-revision", rev)


def revs(start, end, *more):
    return (element("start-revision", start) + element("end-revision", end)
            + "".join(more))


PATH = element("path")

REPORTS = [
    # update
    ("checkout", ME, update(ROOT, to(14), DEPTH, NEW % 14)),
    ("checkout of r0", ME, update(ROOT, to(0), DEPTH, NEW % 0)),
    ("checkout by v1", VCC, update(ROOT, to(14), DEPTH, NEW % 14)),
    ("checkout without target", ME, update(ROOT, DEPTH, NEW % 14)),
    ("checkout without depth", ME, update(ROOT, to(14), NEW % 14)),
    ("checkout of old clients", ME,
     update(ROOT, to(14), NEW % 14, props=False)),
    ("checkout in bulk", ME, update(ROOT, to(14), DEPTH, NEW % 14,
                                    send_all=True)),
    ("checkout in bulk of trunk", ME, update(SRC, to(9), DEPTH, NEW % 9,
                                             send_all=True)),
    ("checkout not recursive", ME, update(
        ROOT, to(14), element("recursive", "no"), NEW % 14)),
    ("src-path as URL", ME, update(
        element("src-path", "http://other.example:99/small/trunk"), to(14),
        DEPTH, NEW % 14)),
    ("one file", ME, update(
        SRC, to(14), element("update-target", "alpha.txt"), DEPTH,
        NEW % 14)),
    ("one file back", ME, update(
        SRC, to(7), element("update-target", "alpha.txt"), DEPTH,
        AT % (14, ""))),
    ("update-target that is gone", ME, update(
        SRC, to(14), element("update-target", "a.txt"), DEPTH, AT % (3, ""))),
    ("mixed", ME, update(
        SRC, to(14), DEPTH, AT % (4, ""), AT % (9, "lib"),
        AT % (2, "lib/b.c"), element("missing", "empty"))),
    ("shallow", ME, update(
        SRC, to(14), element("depth", "unknown"),
        '<S:entry rev="4" depth="files"></S:entry>')),
    ("deepening", ME, update(
        SRC, to(14), element("depth", "infinity"),
        '<S:entry rev="4" depth="empty"></S:entry>')),
    ("depth files", ME, update(SRC, to(14), element("depth", "files"),
                               AT % (3, ""))),
    ("depth immediates", ME, update(
        SRC, to(14), element("depth", "immediates"), AT % (3, ""))),
    ("depth empty", ME, update(SRC, to(14), element("depth", "empty"),
                               AT % (1, ""))),
    ("depth of no meaning", ME, update(
        SRC, to(14), element("depth", "x"), AT % (1, ""))),
    ("switch", ME, update(
        SRC, to(12), element("dst-path", "BASE/small/branches/b1"), DEPTH,
        AT % (8, ""))),
    ("switch in bulk", ME, update(
        SRC, to(12), element("dst-path", "BASE/small/branches/b1"), DEPTH,
        AT % (8, ""), send_all=True)),
    ("switch regardless of ancestry", ME, update(
        SRC, to(12), element("dst-path", "BASE/small/branches/b1"), DEPTH,
        element("ignore-ancestry", "yes"), AT % (8, ""))),
    ("switched item", ME, update(
        ROOT, to(14), DEPTH, AT % (12, ""),
        '<S:entry rev="12" linkpath="/branches/b1/lib">trunk/lib</S:entry>')),
    ("status", ME, update(SRC, element("text-deltas", "no"), DEPTH,
                          AT % (5, ""))),
    ("copies named", ME, update(
        ROOT, to(14), DEPTH, element("send-copyfrom-args", "yes"),
        AT % (1, ""))),
    ("copies named in bulk", ME, update(
        ROOT, to(14), DEPTH, element("send-copyfrom-args", "yes"),
        AT % (1, ""), send_all=True)),
    ("nothing new", ME, update(SRC, to(14), DEPTH, AT % (14, ""))),
    ("broken lock", ME, update(
        SRC, to(14), DEPTH, AT % (14, ""),
        '<S:entry rev="14" lock-token="opaquelocktoken:x">lib/b.c</S:entry>')),
    ("unknown elements", ME, update(
        SRC, to(14), DEPTH, element("surprise", "yes"), AT % (9, ""))),
    ("rev of no number", ME, update(
        ROOT, to(3), '<S:entry rev="x" start-empty="true"/>')),
    ("bulk refused", "/nobulk/!svn/me", report(
        "update-report", element("src-path", "/nobulk/trunk"), to(14), DEPTH,
        NEW % 14, attributes=' send-all="true"')),
    # log
    ("log", LOG, report("log-report", revs(14, 0), PATH)),
    ("log with paths", LOG, report("log-report", revs(
        14, 0, element("discover-changed-paths"), PATH))),
    ("log forwards with a limit", LOG, report("log-report", revs(
        1, 14, element("limit", 3), PATH))),
    ("log negative limit", LOG, report("log-report", revs(
        14, 0, element("limit", -1), PATH))),
    ("log strict", LOG + "branches/b1", report("log-report", revs(
        14, 1, element("strict-node-history"), PATH))),
    ("log merged", LOG + "trunk", report("log-report", revs(
        14, 1, element("include-merged-revisions"),
        element("discover-changed-paths"), PATH))),
    ("log all revprops", LOG, report("log-report", revs(
        14, 3, element("all-revprops"), PATH))),
    ("log all revprops encoded", LOG, report("log-report", revs(
        14, 0, element("all-revprops"), element("encode-binary-props"),
        PATH))),
    ("log no revprops", LOG, report("log-report", revs(
        14, 0, element("no-revprops"), PATH))),
    ("log some revprops", LOG, report("log-report", revs(
        14, 0, element("revprop", "svn:author"),
        element("revprop", "extra:prop"), element("revprop", "none"),
        element("encode-binary-props"), PATH))),
    ("log several paths", LOG, report("log-report", revs(
        14, 1, element("path", "trunk/lib"), element("path", "tags")))),
    ("log without path", LOG + "trunk/lib", report("log-report",
                                                   revs(14, 1))),
    ("log without revisions", LOG, report("log-report", PATH)),
    ("log one revision", LOG, report("log-report", revs(8, 8), PATH)),
    ("log of a public URL", "/small/trunk", report("log-report", revs(14, 0),
                                                   PATH)),
    ("log by v1", "/small/!svn/bc/9/trunk", report("log-report", revs(9, 0),
                                                   PATH)),
    ("log revision too high", LOG, report("log-report", revs(99, 0), PATH)),
    ("log of a missing path", LOG, report("log-report", revs(14, 0),
                                          element("path", "none"))),
    ("log limit of no number", LOG, report("log-report", revs(
        14, 0, element("limit", "x"), PATH))),
    ("log revision of no number", LOG, report("log-report", revs("x", 0),
                                              PATH)),
    ("log on a missing URL", "/small/none", report("log-report", revs(14, 0),
                                                   PATH)),
    # blame
    ("file revisions", LOG + "trunk/alpha.txt", report(
        "file-revs-report", revs(1, 14), PATH)),
    ("file revisions backwards", LOG + "trunk/alpha.txt", report(
        "file-revs-report", revs(14, 1), PATH)),
    ("file revisions merged", LOG + "trunk/lib/n.c", report(
        "file-revs-report", revs(1, 14, element("include-merged-revisions")),
        PATH)),
    ("file revisions of a binary", LOG, report(
        "file-revs-report", revs(1, 14), element("path", "trunk/big.bin"))),
    ("file revisions of a directory", LOG + "trunk", report(
        "file-revs-report", revs(1, 14), PATH)),
    ("file revisions of nothing", LOG, report(
        "file-revs-report", revs(1, 14), element("path", "trunk/none"))),
    ("file revisions merged backwards", LOG + "trunk/lib/n.c", report(
        "file-revs-report", revs(14, 1, element("include-merged-revisions")),
        PATH)),
    ("file revisions too high", LOG + "trunk/alpha.txt", report(
        "file-revs-report", revs(1, 99), PATH)),
    # list
    ("list", LOG, report(
        "list-report", PATH, element("revision", 14),
        element("depth", "infinity"), element("prop", "DAV:allprop"))),
    ("list names alone", LOG, report(
        "list-report", PATH, element("revision", 14),
        element("depth", "infinity"))),
    ("list kinds", LOG + "trunk", report(
        "list-report", PATH, element("revision", 5),
        element("depth", "immediates"),
        element("prop", "DAV:resourcetype"),
        element("prop", "DAV:getcontentlength"))),
    ("list props", LOG, report(
        "list-report", element("path", "trunk"), element("revision", 14),
        element("depth", "infinity"), element(
            "prop", "http://subversion.tigris.org/xmlns/dav/deadprop-count"),
        element("prop", "DAV:version-name"),
        element("prop", "DAV:creationdate"))),
    ("list a file", LOG, report(
        "list-report", element("path", "trunk/alpha.txt"),
        element("revision", 14), element("depth", "infinity"),
        element("prop", "DAV:version-name"))),
    ("list patterns", LOG, report(
        "list-report", PATH, element("revision", 14),
        element("depth", "infinity"), element("pattern", "*.c"),
        element("pattern", "[ae]*"), element("prop", "DAV:resourcetype"))),
    ("list no patterns", LOG, report(
        "list-report", PATH, element("revision", 14),
        element("depth", "infinity"), element("no-patterns"))),
    ("list depth empty", LOG, report(
        "list-report", PATH, element("revision", 14),
        element("depth", "empty"), element("prop", "DAV:resourcetype"))),
    ("list depth files", LOG + "trunk", report(
        "list-report", PATH, element("revision", 14),
        element("depth", "files"))),
    ("list without path", LOG, report(
        "list-report", element("revision", 14), element("depth", "infinity"))),
    ("list of nothing", LOG, report(
        "list-report", element("path", "none"), element("revision", 14),
        element("depth", "infinity"))),
    ("list without revision", LOG, report(
        "list-report", PATH, element("depth", "infinity"))),
    ("list revision too high", LOG, report(
        "list-report", PATH, element("revision", 99),
        element("depth", "infinity"))),
    # places
    ("locations", LOG, report(
        "get-locations", element("path", "trunk/alpha.txt"),
        element("peg-revision", 14),
        *[element("location-revision", r) for r in range(15)])),
    ("locations of nothing", LOG, report(
        "get-locations", element("path", "none"),
        element("peg-revision", 14), element("location-revision", 3))),
    ("locations too high", LOG, report(
        "get-locations", element("path", "trunk"),
        element("peg-revision", 99), element("location-revision", 3))),
    ("location segments", LOG, report(
        "get-location-segments", element("path", "branches/b1/lib"),
        element("peg-revision", 14), revs(14, 0))),
    ("location segments by default", LOG, report(
        "get-location-segments", element("path", "trunk/alpha.txt"))),
    ("location segments in part", LOG, report(
        "get-location-segments", element("path", "trunk/alpha.txt"),
        element("peg-revision", 12), revs(8, 3))),
    ("location segments in the wrong order", LOG, report(
        "get-location-segments", element("path", "trunk"),
        element("peg-revision", 12), revs(3, 8))),
    ("location segments of nothing", LOG, report(
        "get-location-segments", element("path", "none"),
        element("peg-revision", 14), revs(14, 0))),
    ("deleted revision", LOG, report(
        "get-deleted-rev-report", element("path", "branches/b1"),
        element("peg-revision", 3), element("end-revision", 14))),
    ("never deleted", LOG, report(
        "get-deleted-rev-report", element("path", "trunk"),
        element("peg-revision", 3), element("end-revision", 14))),
    ("date", ME, report(
        "dated-rev-report",
        "<D:creationdate>2024-03-08T00:00:00.000000Z</D:creationdate>")),
    ("date before all", ME, report(
        "dated-rev-report",
        "<D:creationdate>1999-03-08T00:00:00.000000Z</D:creationdate>")),
    ("date by v1", VCC, report(
        "dated-rev-report",
        "<D:creationdate>2099-03-08T00:00:00.000000Z</D:creationdate>")),
    ("date that does not parse", ME, report(
        "dated-rev-report", "<D:creationdate>soon</D:creationdate>")),
    # locks
    ("locks", "/small", report("get-locks-report")),
    ("locks of a file", "/small/trunk/alpha.txt", report("get-locks-report")),
    ("locks at depth", "/small/trunk", report(
        "get-locks-report", attributes=' depth="immediates"')),
    ("locks at depth files", "/small", report(
        "get-locks-report", attributes=' depth="files"')),
    ("locks at depth empty", "/small/trunk", report(
        "get-locks-report", attributes=' depth="empty"')),
    ("locks at a wrong depth", "/small/trunk", report(
        "get-locks-report", attributes=' depth="1"')),
    ("locks of nothing", "/small/none", report("get-locks-report")),
    ("locks of a revision", LOG + "trunk", report("get-locks-report")),
    # mergeinfo
    ("mergeinfo", LOG, report(
        "mergeinfo-report", element("revision", 14),
        element("inherit", "explicit"), element("path", "trunk"),
        element("path", "branches/b1"))),
    ("mergeinfo inherited", LOG, report(
        "mergeinfo-report", element("revision", 12),
        element("inherit", "inherited"), element("path", "trunk/lib/b.c"))),
    ("mergeinfo of the nearest", LOG, report(
        "mergeinfo-report", element("revision", 12),
        element("inherit", "nearest-ancestor"),
        element("path", "trunk/lib"))),
    ("mergeinfo of all below", LOG, report(
        "mergeinfo-report", element("revision", 12),
        element("inherit", "explicit"), PATH,
        element("include-descendants", "yes"))),
    ("mergeinfo unknown inherit", LOG + "trunk", report(
        "mergeinfo-report", element("revision", 12), element("inherit", "x"),
        PATH)),
    ("mergeinfo of nothing", LOG, report(
        "mergeinfo-report", element("revision", 12),
        element("inherit", "explicit"), element("path", "none"))),
    ("mergeinfo too high", LOG, report(
        "mergeinfo-report", element("revision", 99),
        element("inherit", "explicit"), element("path", "trunk"))),
    # inherited properties
    ("inherited properties", LOG + "trunk/lib", report(
        "inherited-props-report", element("revision", 14), PATH)),
    ("inherited properties of a path", LOG, report(
        "inherited-props-report", element("revision", 11),
        element("path", "trunk/lib/b.c"))),
    ("inherited properties, binary", LOG, report(
        "inherited-props-report", element("revision", 11),
        element("path", "branches/b1/lib/n.c"))),
    ("inherited properties of the root", LOG, report(
        "inherited-props-report", element("revision", 14))),
    ("inherited properties without revision", LOG + "trunk", report(
        "inherited-props-report", PATH)),
    ("inherited properties of nothing", LOG, report(
        "inherited-props-report", element("revision", 14),
        element("path", "none"))),
    # replay
    *[("replay r%d" % rev, "/small/!svn/rev/%d" % rev, report(
        "replay-report", element("include-path"),
        element("low-water-mark", 0), element("send-deltas", 1)))
      for rev in range(15)],
    *[("replay r%d of trunk" % rev, "/small/!svn/rev/%d" % rev, report(
        "replay-report", element("include-path", "trunk"),
        element("low-water-mark", 0), element("send-deltas", 1)))
      for rev in (1, 3, 6, 9, 12)],
    ("replay without deltas", "/small/!svn/rev/8", report(
        "replay-report", element("low-water-mark", 0),
        element("send-deltas", 0))),
    ("replay above the water mark", "/small/!svn/rev/9", report(
        "replay-report", element("low-water-mark", 9),
        element("send-deltas", 1))),
    ("replay in the old form", "/small/trunk", report(
        "replay-report", element("revision", 8),
        element("low-water-mark", 0))),
    ("replay by v1", "/small/!svn/bln/6", report(
        "replay-report", element("low-water-mark", 0))),
    ("replay without water mark", "/small/!svn/rev/6", report(
        "replay-report", element("send-deltas", 1))),
    ("replay with a revision too many", "/small/!svn/rev/6", report(
        "replay-report", element("revision", 8),
        element("low-water-mark", 0))),
    ("replay old form without revision", "/small", report(
        "replay-report", element("low-water-mark", 0))),
    ("replay too high", "/small/!svn/rev/99", report(
        "replay-report", element("low-water-mark", 0))),
    # neither
    ("unknown report", "/small", report("no-such-report")),
    ("unknown report on me", ME, report("no-such-report")),
    ("report of another namespace", "/small",
     '<D:version-tree xmlns:D="DAV:"/>'),
    ("no XML", "/small", "log-report"),
    ("XML that breaks off", LOG, '<S:log-report xmlns:S="svn:"><S:path>'),
    ("no body", "/small", ""),
]

#: Where we answer otherwise on purpose: name -> (status, errcode), reason.
REPORTS_DIFFER = {
    "rev of no number": ((400, 200004), "read as 0"),
    "log revision of no number": ((400, 200004), "read as 0"),
    "file revisions of a directory": ((400, 160017), "500"),
    "file revisions of nothing": ((400, 160017), "500"),
    "location segments in the wrong order": (
        (404, 160006), "400; clients go by the number"),
}


@pytest.mark.parametrize("name,path,body", REPORTS,
                         ids=[name for name, _, _ in REPORTS])
def test_report(name, path, body, pair):
    headers = dict(SVN, **{"Content-Type": "text/xml"})
    if name in REPORTS_DIFFER and not harness.PEER:
        (status, errcode), _ = REPORTS_DIFFER[name]
        answer = pair[0].report(path, body, headers)
        assert (answer.status, answer.errcode()) == (status, errcode)
        return
    differ.assert_same(*pair, "REPORT", path, headers, body)


def malformed(name, path, body, *statuses):
    return pytest.param(path, body, statuses, id=name)


@ours_only
@pytest.mark.parametrize("path,body,statuses", [
    malformed("no src-path", ME, update(to(14), NEW % 14), 400),
    malformed("entry without rev", ME, update(SRC, to(14), "<S:entry/>"),
              400, 500),
    malformed("entry above youngest", ME, update(SRC, to(14), AT % (99, "")),
              404),
    malformed("target above youngest", ME, update(SRC, to(99), AT % (9, "")),
              404),
    malformed("no entry", ME, update(SRC, to(14)), 400, 500),
    malformed("depth of no meaning in an entry", ME, update(
        SRC, to(14), '<S:entry rev="3" depth="x"/>'), 400, 500),
    malformed("target is missing", ME, update(
        element("src-path", "/small/none"), to(14), NEW % 14), 400, 404),
    malformed("base is a file", ME, update(
        element("src-path", "/small/trunk/alpha.txt"), to(14), AT % (14, "")),
        400, 500),
    malformed("src-path outside", ME, update(
        element("src-path", "/other/trunk"), to(14), NEW % 14), 400, 500),
    malformed("dst-path outside", ME, update(
        SRC, element("dst-path", "http://x/other"), to(14), AT % (9, "")),
        400, 500),
    malformed("linkpath without slash", ME, update(
        ROOT, to(14), AT % (9, ""),
        '<S:entry rev="9" linkpath="trunk/lib">trunk/lib</S:entry>'), 400),
    malformed("entry path that climbs", ME, update(
        SRC, to(14), AT % (9, ""), AT % (9, "../branches")), 400, 404),
    malformed("entry path doubled slash", ME, update(
        SRC, to(14), AT % (9, ""), AT % (9, "lib//b.c")), 400),
    malformed("sent to a tree", "/small/trunk", update(
        SRC, to(14), NEW % 14), 400, 409),
    malformed("locks of me", ME, report("get-locks-report"), 400),
    malformed("log of a path with a dot", LOG, report(
        "log-report", revs(14, 0), element("path", "./trunk")), 400),
    malformed("log of a path with a slash behind", LOG, report(
        "log-report", revs(14, 0), element("path", "trunk/")), 400),
    malformed("a document type", LOG,
              '<!DOCTYPE a [<!ENTITY e "x">]>' + report(
                  "log-report", revs(14, 0), element("path", "&e;")), 400),
    malformed("an unbound prefix", LOG, "<S:log-report/>", 400),
    malformed("two roots", LOG, report("log-report", revs(1, 0), PATH) * 2,
              400),
])
def test_malformed_report(path, body, statuses, server):
    answer = server.report(path, body, SVN)
    assert answer.status in statuses, answer.body
    assert answer.errcode() is not None or answer.status == 400
    assert b"/tmp/" not in answer.body


def test_unknown_report_names_the_error(server):
    answer = server.report("/small", report("no-such-report"), SVN)
    assert answer.status == 501
    assert answer.errcode() == 200007


def test_error_body(server):
    answer = server.report(LOG, report("log-report", revs(99, 0), PATH), SVN)
    assert answer.status == 404
    assert answer.header("Content-Type") == 'text/xml; charset="utf-8"'
    root = answer.xml()
    assert root.tag == "{DAV:}error"
    assert [c.tag for c in root] == [
        "{svn:}error", "{http://apache.org/dav/xmlns}human-readable"]
    assert root[1].get("errcode") == "160006"
    assert "99" in root[1].text


def test_deltas_of_a_bulk_update_make_the_texts(pair):
    server, peer = pair
    answer = server.report(ME, update(ROOT, to(14), DEPTH, NEW % 14,
                                      send_all=True), SVN)
    found = {}

    def walk(node, path):
        for child in node.children:
            name = child.attributes.get("name")
            if child.name == "svn:add-directory":
                walk(child, path + "/" + name)
            elif child.name == "svn:open-directory":
                walk(child, path)
            elif child.name == "svn:add-file":
                found[path + "/" + name] = child

    walk(answer.element(), "")
    assert len(found) > 15
    for path, node in found.items():
        delta = base64.b64decode(node.one("svn:txdelta").text)
        text = peer.request("GET", "/small/!svn/rvr/14" + harness.quote(path))
        assert svndiff.apply(b"", delta) == text.body, path


# ---- bodies ----

def test_chunked_bodies_are_read(server):
    body = report("log-report", revs(14, 0), PATH).encode()
    chunks = b"".join(b"%x\r\n%c\r\n" % (1, c) for c in body) + b"0\r\n\r\n"
    data = server.raw(
        b"REPORT /small/!svn/rvr/14/ HTTP/1.1\r\nHost: x\r\n"
        b"Content-Type: text/xml\r\nConnection: close\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
    assert data.startswith(b"HTTP/1.1 200 ")
    assert data.count(b"<S:log-item>") == 15


def test_pipelined_requests_are_answered_in_order(server):
    paths = [b"/small/trunk/lib/b.c", b"/small/none", b"/small/trunk/empty"]
    data = server.raw(b"".join(
        b"GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n" % (
            p, b"Connection: close\r\n" if p == paths[-1] else b"")
        for p in paths))
    assert re.findall(rb"HTTP/1.1 (\d+)", data) == [b"200", b"404", b"200"]


@ours_only
def test_an_update_report_larger_than_a_megabyte(server):
    entries = "".join(AT % (14, "none%06d" % i) for i in range(30000))
    answer = server.report(ME, update(SRC, to(14), DEPTH, AT % (14, ""),
                                      entries), SVN)
    assert answer.status != 413  # mod_dav_svn: 413


# ---- writing ----

SET_COLOR = ('<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><C:color '
             'xmlns:C="http://subversion.tigris.org/xmlns/custom/">blue'
             "</C:color></D:prop></D:set></D:propertyupdate>")
LOCK = ('<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope>'
        "<locktype><write/></locktype></lockinfo>")
MERGE = ('<D:merge xmlns:D="DAV:"><D:source><D:href>/small/!svn/act/a</D:href>'
         "</D:source></D:merge>")

WRITES = [
    ("PUT", "/small/trunk/alpha.txt", {}, "new text"),
    ("PUT", "/small/trunk/new.txt", {}, "new text"),
    ("DELETE", "/small/trunk/alpha.txt", {}, None),
    ("DELETE", "/small", {}, None),
    ("MKCOL", "/small/trunk/new", {}, None),
    ("COPY", "/small/trunk/alpha.txt",
     {"Destination": "BASE/small/trunk/copy.txt"}, None),
    ("MOVE", "/small/trunk/alpha.txt",
     {"Destination": "BASE/small/trunk/moved.txt"}, None),
    ("PROPPATCH", "/small/trunk/alpha.txt", {}, SET_COLOR),
    ("LOCK", "/small/trunk/lib/b.c", {}, LOCK),
    ("LOCK", "/small/trunk/none", {}, LOCK),
    ("UNLOCK", "/small/trunk/alpha.txt",
     {"Lock-Token": "<opaquelocktoken:x>"}, None),
    ("CHECKOUT", "/small/!svn/ver/14/trunk", {},
     '<D:checkout xmlns:D="DAV:"><D:activity-set><D:href>/small/!svn/act/a'
     "</D:href></D:activity-set></D:checkout>"),
    ("MERGE", "/small", {}, MERGE),
    ("POST", "/small/trunk/alpha.txt", {}, "x"),
    ("DELETE", "/small/!svn/me", {}, None),
    ("DELETE", "/small/!svn/rev/3", {}, None),
    ("PUT", "/small/!svn/rvr/3/trunk/a.txt", {}, "x"),
    ("PUT", "/small/!svn/rev/3", {}, "x"),
    ("DELETE", "/small/!svn/rvr/3/trunk/a.txt", {}, None),
    ("CHECKIN", "/small/trunk/alpha.txt", {}, None),
    ("UNCHECKOUT", "/small/trunk/alpha.txt", {}, None),
    ("MKWORKSPACE", "/small/ws", {}, None),
    ("LABEL", "/small/trunk/alpha.txt", {}, None),
    ("UPDATE", "/small/trunk/alpha.txt", {}, None),
    ("SEARCH", "/small", {}, None),
    ("PATCH", "/small/trunk/alpha.txt", {}, "x"),
    ("NONSENSE", "/small/trunk/alpha.txt", {}, None),
]


@ours_only
@pytest.mark.parametrize("method,path,headers,body", WRITES,
                         ids=["%s %s" % w[:2] for w in WRITES])
@pytest.mark.parametrize("agent", [SVN, {}], ids=["svn", "other"])
def test_what_is_no_step_of_a_commit_is_refused(method, path, headers, body,
                                                agent, server, small):
    def state():
        return [harness.run(args + [small]).stdout for args in
                (["svnlook", "youngest"], ["svnadmin", "lstxns"],
                 ["svnadmin", "lslocks"])]

    before = state()
    head = dict(agent, **{k: v.replace("BASE", server.base)
                          for k, v in headers.items()})
    answer = server.request(method, path, body, head)
    assert 400 <= answer.status < 500 or answer.status == 501, answer.body
    assert state() == before
