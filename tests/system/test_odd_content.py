# SPDX-License-Identifier: Apache-2.0
"""Repositories with names and dates that stock tools accept and few expect."""

import os
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

import harness

pytestmark = pytest.mark.skipif(harness.PEER, reason="differs on purpose")

#: A folder and a file, with a control character each.
FOLDER = "trunk/ctl\x01dir"
FILE = FOLDER + "/f\x7f.txt"
FILE_URL = "/odd/trunk/ctl%01dir/f%7F.txt"

def record(headers, content=b""):
    """A record of a dump stream."""
    lines = headers + (["Content-length: %d" % len(content)] if content else [])
    return "\n".join(lines).encode() + b"\n\n" + content + b"\n\n"


def properties(**values):
    """A property list as records of a dump stream have it."""
    out = b""
    for name, value in values.items():
        key = name.replace("_", ":").encode()
        out += b"K %d\n%s\nV %d\n%s\n" % (len(key), key, len(value), value)
    return out + b"PROPS-END\n"


def revision(number, date=b"2020-01-01T00:00:00.000000Z"):
    """The head of a revision."""
    props = properties(svn_date=date)
    return record(["Revision-number: %d" % number,
                   "Prop-content-length: %d" % len(props)], props)


def node(path, text=None, **props):
    """A node that is added."""
    head = ["Node-path: " + path, "Node-action: add",
            "Node-kind: " + ("dir" if text is None else "file")]
    content = properties(**props)
    head.append("Prop-content-length: %d" % len(content))
    if text is not None:
        head.append("Text-content-length: %d" % len(text))
        content += text
    return record(head, content)


@pytest.fixture(scope="module")
def repository(work):
    path = os.path.join(work, "odd")
    harness.run(["svnadmin", "create", path])
    dump = record(["SVN-fs-dump-format-version: 2"])
    dump += revision(0) + revision(1) + node("trunk") + node(FOLDER)
    dump += node(FILE, b"odd\n") + node("trunk/plain.txt", b"plain\n" * 100)
    dump += revision(2, b"not a date") + node("trunk/kw.txt", b"$Date$ $Rev$\n",
                               svn_keywords=b"Date Rev")
    dump += revision(3, b"") + node("trunk/late.txt", b"late\n")
    subprocess.run(["svnadmin", "load", "-q", "--bypass-prop-validation", path],
                   input=dump, check=True)
    harness.readable(path)
    return path


@pytest.fixture(scope="module")
def server(work, repository):
    config = "\n".join(
        harness.location(url, repository, *lines) for url, *lines in (
            ("/odd",), ("/xml", 'RepoIndexXSLT "/x.xsl"'),
            ("/forced", "ForceType text/weird"),
            ("/deflated", "SetOutputFilter DEFLATE")))
    with harness.Httpd(os.path.join(work, "odd-httpd"), "event", config,
                       modules=["filter", "deflate"]) as running:
        yield running
    shutil.rmtree(os.path.join(work, "odd-httpd"))


def test_a_name_with_control_characters_can_be_fetched(server):
    answer = server.request("GET", FILE_URL)
    assert answer.status == 200
    assert answer.body == b"odd\n"
    tag = answer.header("etag")
    assert tag == '"1//trunk/ctl%01dir/f%7F.txt"'
    again = server.request("GET", FILE_URL, headers={"If-None-Match": tag})
    assert again.status == 304
    asked = server.request(
        "PROPFIND", FILE_URL, '<propfind xmlns="DAV:"><prop><getetag/></prop>'
        "</propfind>", {"Depth": "0"})
    assert tag.encode() in asked.body


def test_listings_of_odd_names_are_well_formed(server):
    html = server.request("GET", "/odd/trunk/")
    assert html.status == 200
    assert "ctl?dir/</a>" in html.body.decode("utf-8")
    assert b'href="ctl%01dir/"' in html.body
    for url in ("/xml/trunk/", "/xml/trunk/ctl%01dir/"):
        answer = server.request("GET", url)
        assert answer.status == 200
        ElementTree.fromstring(answer.body)


def test_a_damaged_date_is_not_the_fault_of_the_client(server):
    answer = server.request("GET", "/odd/trunk/kw.txt?kw=1")
    assert answer.status == 200
    assert answer.body == b"$Date: $ $Rev: 2 $\n"
    report = ('<S:dated-rev-report xmlns:S="svn:" xmlns:D="DAV:">'
              "<D:creationdate>2020-01-02T12:00:00.000000Z</D:creationdate>"
              "</S:dated-rev-report>")
    answer = server.report("/odd/!svn/me", report)
    assert answer.status == 500
    assert b"date of revision 2" in answer.body


def test_an_empty_date_is_none(server):
    answer = server.request(
        "PROPFIND", "/odd/!svn/rev/3", '<propfind xmlns="DAV:"><prop>'
        "<creationdate/></prop></propfind>", {"Depth": "0"})
    assert answer.status == 207
    assert b"404 Not Found" in answer.body


def test_a_forced_type_is_heeded(server):
    for method in ("GET", "HEAD"):
        answer = server.request(method, "/forced/trunk/plain.txt")
        assert answer.header("content-type") == "text/weird"


def test_a_part_varies_as_the_whole_does(server):
    url = "/deflated/trunk/plain.txt"
    whole = server.request("GET", url)
    part = server.request("GET", url, headers={
        "Range": "bytes=0-3", "Accept-Encoding": "gzip"})
    assert part.status == 206
    assert part.body == b"plai"
    assert part.header("vary") == whole.header("vary") == "Accept-Encoding"
