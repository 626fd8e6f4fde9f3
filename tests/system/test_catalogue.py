# SPDX-License-Identifier: Apache-2.0
"""A catalogue of requests, which mod_dav_svn must answer as we do.

Every method by every form of URL, every header, every property asked for by
PROPFIND, every way to mount a repository. The reports have a catalogue of
their own. Where we differ on purpose, RULES says why.
"""

import os
import re
import shutil

import pytest

import differ
import harness
from differ import OPTIONS, Case, Rule, propfind

SVN = {"User-Agent": "SVN/1.14.2 (x86_64-pc-linux-gnu) serf/1.3.9"}
XML = {"Content-Type": "text/xml"}
LOCKS = differ.report("get-locks-report")
V = "http://subversion.tigris.org/xmlns/dav/"
S = "http://subversion.tigris.org/xmlns/svn/"
C = "http://subversion.tigris.org/xmlns/custom/"
LIVE = ["resourcetype", "getcontentlength", "getcontenttype", "getetag",
        "getcontentlanguage", "creationdate", "getlastmodified",
        "version-name", "creator-displayname", "checked-in", "checked-out",
        "baseline-collection", "version-controlled-configuration",
        "auto-version", "displayname", "supportedlock", "lockdiscovery",
        "supported-method-set", "supported-live-property-set",
        "supported-report-set", "activity-collection-set", "comment",
        "predecessor-set", "version-history", "workspace", "executable",
        "quota-used-bytes", "source", "no-such"]
LIVE_SVN = ["baseline-relative-path", "md5-checksum", "sha1-checksum",
            "repository-uuid", "deadprop-count", "none"]
EVERY = propfind(*LIVE, *(V + "|" + name for name in LIVE_SVN),
                 S + "|eol-style", C + "|color", C + "|none")
LOCK = ('<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope>'
        "<locktype><write/></locktype></lockinfo>")
COLOR = ('<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop>'
         '<C:color xmlns:C="%s">blue</C:color></D:prop></D:set>'
         "</D:propertyupdate>" % C)

# ---- the servers ----

SECOND = """\
<VirtualHost *:{port}>
ServerName 127.0.0.1
</VirtualHost>
<VirtualHost *:{port}>
ServerName special
{prefix}SpecialURI "_svn/x"
{location}
</VirtualHost>
"""


def locations(server, small, parent):
    """Each way to mount a repository; the server's port is known by now."""
    peer = server.peer

    def mount(path, *settings):
        return harness.location(path, small, *settings, peer=peer)

    def setting(name, value):
        return harness.directive(name, value, peer=peer)

    name = "SVNReposName" if peer else "RepoName"
    second = SECOND.format(port=server.port, location=mount("/small"),
                           prefix="SVN" if peer else "Repo")
    return "\n".join([
        mount("/small"),
        mount("/old", setting("AdvertiseV2Protocol", "off")),
        mount("/nobulk", setting("AllowBulkUpdates", "off")),
        mount("/bulk", setting("AllowBulkUpdates", "prefer"),
              name + ' "My Name"'),
        mount("/xml", setting("IndexXSLT", '"/x.xsl"')),
        mount('"/a b/d"'), mount("/deep/er/still"), mount("/slash/"),
        harness.location("/p", parent, setting("ListParentPath", "on"),
                         parent=True, peer=peer),
        harness.location("/q", parent, parent=True, peer=peer), second])


@pytest.fixture(scope="module")
def pair(work, small):
    """(server under test, mod_dav_svn), serving the same repositories."""
    parent = os.path.join(work, "catalogue-parent")
    for name in ("one", "two"):
        shutil.copytree(small, os.path.join(parent, name))
    harness.readable(parent)
    servers = [
        harness.Httpd(os.path.join(work, "catalogue-" + name), mpm, peer=peer)
        for name, mpm, peer in (("ours", "event", harness.PEER),
                                ("peer", "worker", True))]
    for server in servers:
        server.config = locations(server, small, parent)
    with servers[0], servers[1]:
        yield servers


# ---- every method by every form of URL ----

PUBLIC = [
    "", "/", "/trunk", "/trunk/", "/trunk/alpha.txt", "/trunk/alpha.txt/",
    "/trunk/none", "/trunk/none/", "/trunk/alpha.txt/below", "//trunk//lib",
    "/trunk/%61lpha.txt", "/trunk/manual/100%25;%23x.txt",
    "/trunk/manual/%C3%A4%c3%b6%C3%BC.txt", "/trunk/a+b", "/trunk/./lib",
    "/trunk/lib/../empty", "/!SVN/me", "/!svnx", "/trunk/!svn/me"]
QUERIES = [
    "/trunk/alpha.txt?p=9", "/trunk/a.txt?p=3", "/trunk/alpha.txt?r=3",
    "/trunk?p=4", "/trunk/?p=99", "/trunk?x=1", "/trunk/?p=", "/trunk/?r=",
    "/trunk/?p=HEAD", "/trunk/?P=3", "/trunk/?p=3&p=4", "/trunk/?p=3;r=2",
    "/trunk/?&&p=3", "/trunk/?kw", "/!svn/rvr/3/trunk/a.txt?p=2",
    "/!svn/rvr/9/trunk/alpha.txt?r=3", "/!svn/rev/3?p=2",
    "/!svn/ver/3/trunk/a.txt?p=2", "/!svn/me?p=3"]
SPECIAL = [
    "/me", "/me/", "/rev/3", "/rev/3/", "/rev/0", "/rev/99",
    "/rvr/3/trunk/a.txt", "/rvr/3/trunk/a.txt/", "/rvr/3/trunk",
    "/rvr/3/trunk/", "/rvr/3", "/rvr/3/", "/rvr/15/trunk", "/rvr/3/none",
    "/rvr/3//trunk//a.txt", "/rvr/03/trunk", "/vcc/default", "/vcc/default/",
    "/bln/3", "/bln/3/", "/bln/99", "/bc/3/", "/bc/3", "/bc/3/trunk",
    "/bc/3/trunk/", "/bc/3/trunk/a.txt", "/bc/3/none", "/bc/15/",
    "/ver/3/trunk", "/ver/3/trunk/", "/ver/3/trunk/a.txt", "/ver/3/",
    "/ver/3", "/ver/99/trunk", "/ver/3/none", "/act/none", "//me",
    "/%72vr/3/trunk", "/txn/1-1"]
#: No URL of the protocol, or one without what must follow.
NO_URL = [
    "", "/", "/me/x", "/rev", "/rev/", "/rvr", "/rvr/", "/vcc", "/vcc/",
    "/bln", "/bc", "/ver", "/act", "/act/", "/wbl", "/wrk", "/txn", "/txr",
    "/vtxn", "/vtxr", "/his/1", "/xyz/3"]
#: What follows is no number, or is too much.
NO_NUMBER = [
    "/rev/x", "/rev/-1", "/rev/3/x", "/rvr/x/trunk", "/rvr/1x/trunk/a.txt",
    "/rvr/-1/", "/vcc/default/x", "/vcc/other", "/bln/x", "/bc/x/",
    "/ver/x/trunk", "/act/none/x"]
#: Transactions that there are not.
NO_TXN = ["/wbl/none/3", "/wrk/none/trunk", "/txn/foo", "/txr/1-1/trunk",
          "/vtxn/none", "/vtxr/none/trunk"]
FORMS = PUBLIC + QUERIES + ["/%21svn/rvr/3/trunk/a.txt", "/%21%73vn/me",
                            "//!svn/me"] + [
    "/!svn" + rest for rest in SPECIAL + NO_URL + NO_NUMBER + NO_TXN]

READING = ["OPTIONS", "GET", "HEAD", "PROPFIND", "REPORT", "TRACE"]
REFUSED = ["SEARCH", "LABEL", "UPDATE", "BASELINE-CONTROL", "MKWORKSPACE",
           "BIND", "PATCH", "ACL", "UNBIND", "REBIND", "ORDERPATCH",
           "MKREDIRECTREF", "NONSENSE", "options"]
WRITING = {
    "PUT": "text", "POST": "( create-txn )", "DELETE": None, "MKCOL": None,
    "COPY": None, "MOVE": None, "PROPPATCH": COLOR, "LOCK": LOCK,
    "UNLOCK": None, "MKACTIVITY": None, "CHECKOUT": None, "MERGE": None,
    "CHECKIN": None, "UNCHECKOUT": None}


def by_method(method, form):
    headers, body = dict(SVN), None
    if method == "PROPFIND":
        headers["Depth"], body = "0", EVERY
    elif method == "REPORT":
        headers, body = dict(SVN, **XML), LOCKS
    elif method == "OPTIONS":
        body = OPTIONS
    elif method == "TRACE":
        headers["Host"] = "example.org"  # is part of the answer
    return Case(method, "/small" + form, headers, body,
                "%s %s" % (method, form or "root"))


METHODS = ([by_method(method, form) for method in READING + [
    "VERSION-CONTROL"] for form in FORMS]
           + [by_method(method, form) for method in REFUSED
              for form in ("", "/trunk/alpha.txt", "/none", "/!svn/me",
                           "/!svn/rvr/3/trunk", "/!svn/bln/3", "/!svn/xyz")])


# ---- every header ----

CAPABILITY = "http://subversion.tigris.org/xmlns/dav/svn/"
CLIENTS = [
    {"User-Agent": "SVN/1.4.6 (r28521) neon/0.25.5", "TE": "trailers",
     "Connection": "TE, Keep-Alive"},
    {"User-Agent": "SVN/1.5.9 neon/0.28.3", "DAV": CAPABILITY + "depth"},
    {"User-Agent": "SVN/1.6.17 neon/0.29.6", "DAV": ", ".join(
        CAPABILITY + word for word in ("depth", "mergeinfo")),
     "Accept-Encoding": "gzip, svndiff1;q=0.9,svndiff;q=0.8"},
    {"User-Agent": "SVN/1.10.3 SVNKit/1.10.3 (http://svnkit.com/) r",
     "TE": "trailers", "Keep-Alive": "", "Connection": "TE, Keep-Alive",
     "Accept-Encoding": "gzip, svndiff1;q=0.9,svndiff;q=0.8"},
    {"User-Agent": "Microsoft-WebDAV-MiniRedir/10.0", "Translate": "f"},
    {"User-Agent": "WebDAVFS/3.0.0 (03008000) Darwin/22.1.0", "Accept": "*/*"},
    {"User-Agent": "SVN/"}, {"User-Agent": "svn/1.14"}, {"User-Agent": "SVN"},
    {"User-Agent": "Mozilla/5.0 SVN/1.14"}, {"User-Agent": ""}]
HEADERS = CLIENTS + [{name: value} for name, values in (
    ("Depth", ("0", "1", "infinity", "Infinity", "2", "-1", "", "0, 1",
               "1,noroot", "bad")),
    ("Label", ("5", "0", "99", "x", "", "-1")),
    ("X-SVN-Options", ("lock-steal",)),
    ("X-SVN-Version-Name", ("3", "99", "x")),
    ("X-SVN-Base-Fulltext-MD5", ("x",)),
    ("X-SVN-Result-Fulltext-MD5", ("x",)), ("SVN-VTxn-Name", ("t",)),
    ("If-None-Match", ("*", '"x"')), ("If-Match", ("*", '"x"')),
    ("If-Modified-Since", ("Sat, 01 Jan 2050 00:00:00 GMT",)),
    ("If-Unmodified-Since", ("Sat, 01 Jan 2000 00:00:00 GMT",)),
    ("If", ("(<opaquelocktoken:x>)", "<BASE/small/trunk> (<t:x>)", "nonsense",
            "", "(Not <DAV:no-lock>)", '(["x"])', "(<DAV:no-lock>)")),
    ("Lock-Token", ("<opaquelocktoken:x>", "x")),
    ("Range", ("bytes=0-3",)), ("Accept", ("text/html", "application/xml")),
    ("Accept-Language", ("de",)), ("Accept-Charset", ("latin1",)),
    ("Accept-Encoding", ("gzip", "gzip,svndiff2;q=0.9", "")),
    ("Overwrite", ("F", "x")), ("Brief", ("t",)),
    ("Prefer", ("return=minimal", "depth-noroot")),
    ("TE", ("trailers", "chunked")), ("Translate", ("f",)),
    ("Destination", ("BASE/small/trunk/x", "x")),
    ("Timeout", ("Infinite", "Second-x")),
    ("Content-Encoding", ("gzip", "identity")),
    ("Content-Type", ("text/plain", "application/xml", "",
                      'text/xml; charset="utf-8"')),
    ("Content-Language", ("de",)), ("Expect", ("nonsense",)),
    ("Cache-Control", ("no-cache",)), ("Connection", ("close",)),
    ("Upgrade", ("h2c",)), ("Max-Forwards", ("0",)), ("Cookie", ("a=b",)),
    ("Origin", ("http://evil.example",)),
    ("X-HTTP-Method-Override", ("PUT",)),
    ("X-Forwarded-Host", ("evil.example",)), ("Host", ("evil.example",)),
    ("Apply-To-Redirect-Ref", ("T",)), ("DAV", ("x", CAPABILITY + "depth")),
    ("Position", ("first",)), ("Force-Authentication", ("T",)),
) for value in values]
WITH_HEADERS = [
    ("OPTIONS", OPTIONS, ["/trunk/lib/b.c", "/!svn/me"]),
    ("GET", None, ["/trunk/lib/b.c", "/trunk/", "/none", "/!svn/me",
                   "/!svn/vcc/default", "/!svn/rvr/3/trunk/a.txt"]),
    ("PROPFIND", EVERY, ["/trunk/lib/b.c", "/trunk/", "/none",
                         "/!svn/vcc/default", "/!svn/rev/3", "/!svn/me",
                         "/!svn/bc/3/trunk"]),
    ("REPORT", LOCKS, ["/trunk/lib/b.c", "/!svn/vcc/default",
                       "/!svn/rvr/3/trunk"])]


def with_header(method, path, headers, body):
    sent = dict(headers)
    sent.setdefault("User-Agent", SVN["User-Agent"])
    if method == "PROPFIND":
        sent.setdefault("Depth", "0")
    elif method == "REPORT":
        sent.setdefault("Content-Type", "text/xml")
    return Case(method, "/small" + path, sent, body, "%s %s with %s" % (
        method, path, ", ".join("%s: %s" % one for one in headers.items())))


BY_HEADER = [with_header(method, path, headers, body)
             for method, body, paths in WITH_HEADERS
             for path in paths for headers in HEADERS]


# ---- every body of PROPFIND ----

def find(inner, before=""):
    return ('<?xml version="1.0" encoding="utf-8"?>%s<D:propfind '
            'xmlns:D="DAV:" xmlns:V="%s" xmlns:S="%s" xmlns:C="%s" '
            'xmlns:X="http://example.org/x">%s</D:propfind>' % (
                before, V, S, C, inner))


GET_TAG = '<propfind xmlns="DAV:"><prop><getetag/></prop></propfind>'
SINGLE = (["D:" + name for name in LIVE] + ["V:" + name for name in LIVE_SVN]
          + ["S:" + name for name in (
              "ignore", "eol-style", "keywords", "mime-type", "executable",
              "log", "author", "date", "mergeinfo", "nothing", "special")]
          + ["C:" + name for name in ("color", "tagged", "root", "bin",
                                      "extra:prop", "nothing")] + ["X:what"])
BODIES = [("all", find("<D:allprop/>")), ("names", find("<D:propname/>"))] + [
    (name, find("<D:prop><%s/></D:prop>" % name)) for name in SINGLE]
ODD_BODIES = [
    ("no property", find("<D:prop/>")), ("nothing", find("")),
    ("all and more", find("<D:allprop/><D:include><V:md5-checksum/>"
                          "</D:include>")),
    ("include alone", find("<D:include><V:md5-checksum/></D:include>")),
    ("all and names", find("<D:allprop/><D:propname/>")),
    ("one and all", find("<D:prop><D:getetag/></D:prop><D:allprop/>")),
    ("two lists", find("<D:prop><D:getetag/></D:prop><D:prop>"
                       "<D:resourcetype/></D:prop>")),
    ("one twice", find("<D:prop><D:getetag/><D:getetag/></D:prop>")),
    ("nested", find("<D:prop><D:getetag><D:x/></D:getetag></D:prop>")),
    ("text between", find("<D:prop>text<D:getetag/></D:prop>")),
    ("unknown", find("<X:what/>")),
    ("unknown and one", find("<X:what/><D:prop><D:getetag/></D:prop>")),
    ("comments", find("<!-- c --><D:prop><!-- d --><D:getetag/></D:prop>")),
    ("instruction", find("<?php x?><D:prop><D:getetag/></D:prop>")),
    ("CDATA", find("<D:prop><![CDATA[x]]><D:getetag/></D:prop>")),
    ("no namespace", GET_TAG.replace(' xmlns="DAV:"', "")),
    ("empty namespace", GET_TAG.replace("<getetag", '<getetag xmlns=""')),
    ("other namespace", GET_TAG.replace("DAV:", "X:")),
    ("Latin-1", '<?xml version="1.0" encoding="iso-8859-1"?>' + GET_TAG),
    ("no encoding of that name",
     '<?xml version="1.0" encoding="klingon"?>' + GET_TAG),
    ("UTF-16 that is none",
     '<?xml version="1.0" encoding="utf-16"?>' + GET_TAG),
    ("UTF-16", ('<?xml version="1.0" encoding="utf-16"?>' + GET_TAG).encode(
        "utf-16")),
    ("byte order mark", b"\xef\xbb\xbf" + GET_TAG.encode()),
    ("XML 1.1", '<?xml version="1.1"?>' + GET_TAG),
    ("internal entities", '<!DOCTYPE a [<!ENTITY e "x">]>' + GET_TAG),
    ("external entities",
     '<!DOCTYPE propfind SYSTEM "http://127.0.0.1/x">' + GET_TAG),
    ("blanks", "  \n"), ("declaration alone", '<?xml version="1.0"?>'),
    ("cut off", GET_TAG[:30]), ("text behind", GET_TAG + "x"),
    ("line before", '\n<?xml version="1.0"?>' + GET_TAG),
    ("binary", b"\0\1\2"), ("no UTF-8", find("<D:prop><X:a>%s</X:a></D:prop>")
                            .encode().replace(b"%s", b"\xff")),
    ("HTML", "<html><body/></html>"), ("other request", COLOR),
    ("a report", LOCKS), ("upper case", GET_TAG.upper()),
    ("unbound prefix", '<propfind xmlns="DAV:"><prop><Q:a/></prop></propfind>'),
    ("attribute twice", GET_TAG.replace("<prop>", '<prop a="1" a="2">')),
    ("colons", find("<D:prop><C:a:b:c/></D:prop>")),
    ("fifty namespaces", '<propfind xmlns="DAV:"><prop>%s</prop></propfind>'
     % "".join('<a xmlns="u:%d"/>' % i for i in range(50)))]
ASKED = ["/trunk/alpha.txt", "/trunk/lib", "/", "/none", "/!svn/me",
         "/!svn/vcc/default", "/!svn/rev/2", "/!svn/bln/0",
         "/!svn/bc/12/branches/b1/lib", "/!svn/rvr/3/trunk/a.txt"]


def asked(path, name, body, depth="0"):
    return Case("PROPFIND", "/small" + path, dict(SVN, Depth=depth), body,
                "PROPFIND %s asks %s at depth %s" % (path, name, depth))


PROPFINDS = (
    [asked(path, *body) for path in ASKED for body in BODIES]
    + [asked("/trunk/", *body, "1") for body in BODIES]
    + [asked(path, *body) for path in ("/trunk/lib/b.c", "/!svn/rev/2")
       for body in ODD_BODIES])


# ---- every mount ----

MOUNTS = ["/old", "/nobulk", "/bulk", "/xml", "/a%20b/d", "/deep/er/still",
          "/slash", "/p/one", "/q/two", "/p/none"]
MOUNTED = ["", "/", "/trunk", "/trunk/", "/trunk/lib/b.c", "/none", "{}/me",
           "{}/rev/3", "{}/vcc/default", "{}/bln/2", "{}/bc/2/trunk",
           "{}/rvr/4/trunk/", "/trunk?p=4", "/trunk/?p=4",
           "/trunk/alpha.txt?p=9", "/_svn", "/_svn/x/me", "/!svn/rvr/3/"]


def mounted(root, special, host):
    headers = dict(SVN, Host=host) if host else SVN
    cases = []
    for form in MOUNTED:
        path = root + form.format(special) or "/"
        cases += [Case("OPTIONS", path, headers, OPTIONS),
                  Case("GET", path, headers),
                  Case("PROPFIND", path, dict(headers, Depth="0"), EVERY),
                  Case("REPORT", path, dict(headers, **XML), LOCKS)]
    for form in ("/me", "/vcc/default"):
        for bulk in (False, True):
            body = differ.update(
                differ.element("src-path", root + "/trunk"),
                differ.element("target-revision", 9),
                '<S:entry rev="2"></S:entry>', send_all=bulk)
            path = root + special + form
            cases.append(Case("REPORT", path, dict(headers, **XML), body,
                              "UPDATE%s %s" % (" in bulk" * bulk, path)))
    return cases


LISTS = [Case(method, path) for method in ("GET", "HEAD") for path in (
    "/p", "/p/", "/p/one", "/p/one/", "/p/none", "/p/!svn", "/p/!svn/me",
    "/p//one//", "/p/one%2f", "/p/%6fne/", "/p/.", "/q", "/q/", "/q/one/")]
MOUNT_CASES = LISTS + [case for root in MOUNTS
                       for case in mounted(root, "/!svn", None)]
MOUNT_CASES += mounted("/small", "/_svn/x", "special")


# ---- where we differ ----

def special(rests):
    """A pattern of the special URLs in a list."""
    return "(?:%s)" % "|".join(map(re.escape, rests))


BAGS = special(["/me", "/me/", "/rev/3", "/rev/3/", "/rev/0", "/bln/3",
                "/bln/3/", "/vcc/default", "/vcc/default/", "/rev/3?p=2",
                "/me?p=3", "//me"])

RULES = [
    # URLs
    Rule("(?:OPTIONS|VERSION-CONTROL) /!svn/?", "the bare prefix is no URL",
         404, (200, 409)),
    Rule("(?:OPTIONS|GET|HEAD|PROPFIND|REPORT|VERSION-CONTROL) /!svn"
         + special(NO_NUMBER), "what is no number is read as one, or 500",
         404, (200, 207, 400, 404, 409, 500)),
    Rule("(?:OPTIONS|GET|HEAD|PROPFIND|REPORT|VERSION-CONTROL) /!svn"
         + special(NO_TXN),
         "no transaction of that name: 400 or 500", 404, (400, 404, 500)),
    Rule("TRACE /!svn" + special(NO_URL[2:]), "TRACE tells what came, of any "
         "URL", 200, (404,)),
    Rule(r"(?:OPTIONS|GET|HEAD|PROPFIND|VERSION-CONTROL) "
         r"/trunk/\?(?:p=HEAD|p=|r=|p=3;r=2)",
         "a revision that is no number is read as 0 or in part", 404,
         (200, 207, 302, 404, 409)),
    Rule(r"REPORT /(?:trunk|!svn/rvr).*\?.*[prP]=.*", "a report names its revisions; the "
         "query of its URL does not count", {200, 404}, (200, 302, 404)),
    Rule("(?:SEARCH|LABEL|UPDATE|BASELINE-CONTROL|MKWORKSPACE|BIND|PATCH) "
         "/!svn/xyz", "the method is judged before the URL", 405, (404,)),
    Rule("(?:ACL|UNBIND|REBIND|ORDERPATCH|MKREDIRECTREF|NONSENSE|options) "
         "/!svn/xyz", "the method is judged before the URL", 501, (404,)),
    # resources
    Rule("HEAD (?:/!svn|//!svn|/%21%73vn)" + BAGS,
         "HEAD is GET without a body: 409, not 200", 409, (200,)),
    Rule("(?:GET|HEAD) /!svn/ver/3(?:/trunk)?", "directories can be had by "
         "this form, too: 500", 301, (500,)),
    Rule("(?:GET|HEAD) /!svn/ver/3/(?:trunk/)?", "directories can be had by "
         "this form, too: 500", 200, (500,)),
    Rule("(?:PROPFIND|REPORT) /!svn/ver/3/none", "finds what does not exist",
         404, (200, 207)),
    Rule("PROPFIND /!svn/ver/3.*", "shown as a baseline, directories with a "
         "length of ###error###", 207, (207,)),
    Rule("PROPFIND /!svn/rvr/03/trunk", "the number is shown as it was "
         "written, zeros included", 207, (207,)),
    # headers
    Rule(r"\S* \S* with If: (?!$|\(Not|\(\[).*", "lock tokens guard writing; "
         "whoever only reads needs no user for them, 423",
         {200, 207, 400, 404, 409}, (400, 423)),
    Rule("GET /!svn/(?:me|vcc/default) with If-.*", "conditions are about a "
         "text, and there is none", 409, (304, 409, 412)),
    Rule("(?:GET|PROPFIND) /!svn/vcc/default with Label: (?:x||-1)",
         "a label that is no number is read as 0, or 500", 400,
         (207, 409, 500)),
    Rule(r"GET \S*\.\w* with Range: .*", "sends the whole text", 206, (200,)),
    Rule("GET /trunk/ with Range: .*", "listings have no ranges: they vary",
         200, (206,)),
    Rule("PROPFIND .* with User-Agent: (?!SVN/).*", "the type stands there "
         "twice, once as that of the answer itself",
         ignore=["DAV:getcontenttype"]),
    # bodies
    Rule("PROPFIND .* asks (?:instruction|Latin-1|external entities) .*",
         "bodies are UTF-8 or UTF-16 without instructions and document types",
         (400, 130003), (207,)),
    Rule("PROPFIND /trunk/.* asks (?:all|all and .*|one and all) at .*",
         "the type stands there twice, which may differ",
         ignore=["DAV:getcontenttype"]),
    # mounts
    Rule("(?:GET|HEAD) /p/\\.?", "an empty tag is none", ignore=["etag"]),
    Rule("PROPFIND /a%20b/d/!svn/(?:rev|bln)/.", "href is encoded twice",
         207, (207,)),
]


@pytest.mark.parametrize("case", METHODS, ids=lambda case: case.name)
def test_method(case, pair):
    differ.check(pair, case, RULES, ["allow"])


@pytest.mark.parametrize("case", BY_HEADER, ids=lambda case: case.name)
def test_header(case, pair):
    differ.check(pair, case, RULES, ["allow"])


@pytest.mark.parametrize("case", PROPFINDS, ids=lambda case: case.name)
def test_propfind(case, pair):
    differ.check(pair, case, RULES)


@pytest.mark.parametrize("case", MOUNT_CASES, ids=lambda case: case.name)
def test_mount(case, pair):
    differ.check(pair, case, RULES, ["allow"])


def test_each_rule_is_about_some_request():
    assert not differ.unused(RULES, METHODS + BY_HEADER + PROPFINDS
                             + MOUNT_CASES)


@pytest.fixture(scope="module")
def rooted(work, small):
    """The pair once more, with the repository at the top of the host."""
    servers = [
        harness.Httpd(os.path.join(work, "catalogue-rooted-" + name), "event",
                      harness.location("/", small, peer=peer), peer=peer)
        for name, peer in (("ours", harness.PEER), ("peer", True))]
    with servers[0], servers[1]:
        yield servers


@pytest.mark.parametrize("case", mounted("", "/!svn", None),
                         ids=lambda case: case.name)
def test_mount_at_the_top(case, rooted):
    differ.check(rooted, case, RULES, ["allow"])


@pytest.fixture(scope="module")
def scratch(work, small):
    """A server whose repository may be written to."""
    path = os.path.join(work, "catalogue-scratch")
    shutil.copytree(small, path)
    harness.readable(path)
    harness.writable(path)
    with harness.Httpd(os.path.join(work, "catalogue-writes"), "event",
                       harness.location("/small", path)) as server:
        yield server


@pytest.mark.skipif(harness.PEER, reason="some are 500, some crash")
@pytest.mark.parametrize("method", WRITING)
def test_no_write_is_an_error_of_the_server(method, scratch):
    failed = []
    for form in FORMS:
        for target in ("/trunk/copy", "/!svn/rvr/3/trunk", "/!svn/me"):
            status = differ.ask(scratch, method, "/small" + form, {
                "Destination": "BASE/small" + target, **SVN},
                WRITING[method])[0]
            if status >= 500 and status != 501:
                failed.append((form, target, status))
            if method not in ("COPY", "MOVE"):
                break
    assert not failed
