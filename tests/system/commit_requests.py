# SPDX-License-Identifier: Apache-2.0
"""Hand-made requests of both versions of the commit protocol."""

import base64
import re

import harness

SVN = {"User-Agent": "SVN/1.14.2 (x86_64-pc-linux-gnu) serf/1.3.9"}
SKEL = {"Content-Type": "application/vnd.svn-skel"}
SVNDIFF = {"Content-Type": "application/vnd.svn-svndiff"}
XML = {"Content-Type": "text/xml"}
D = "DAV:"
V = "http://subversion.tigris.org/xmlns/dav/"
S = "http://subversion.tigris.org/xmlns/svn/"
C = "http://subversion.tigris.org/xmlns/custom/"


class Session:
    """Requests of one user to one repository of a server."""

    def __init__(self, server, root, user="alice"):
        self.server = server
        self.root = root
        self.headers = dict(SVN, **(harness.as_user(user) if user else {}))

    def ask(self, method, path, body=None, **headers):
        """One request; `path` is below the root of the repository. In the
        names of headers '_' stands for '-'."""
        sent = dict(self.headers)
        sent.update((k.replace("_", "-"), v) for k, v in headers.items())
        if isinstance(body, str):
            body = body.encode()
        return self.server.request(method, self.root + path, body, sent)

    def post(self, skel="( create-txn )", **headers):
        """Any POST to the URL me."""
        return self.ask("POST", "/!svn/me", skel, **{
            "Content-Type": "application/vnd.svn-skel", **headers})

    def begin(self, **props):
        """A transaction; returns its name."""
        words = "".join(
            " %s %d %s" % (name, len(value.encode()), value)
            for name, value in ((n.replace("_", ":", 1), v)
                                for n, v in props.items()))
        answer = self.post("(create-txn-with-props (%s))" % words.strip())
        assert answer.status == 201, (answer.status, answer.body)
        return answer.header("SVN-Txn-Name")

    def edit(self, method, txn, path, body=None, **headers):
        """A request to a node of a transaction."""
        return self.ask(method, "/!svn/txr/%s%s" % (txn, path), body,
                        **headers)

    def copy(self, txn, source, path, **headers):
        """Copy a URL below the root into a transaction."""
        return self.ask("COPY", source, Destination="%s%s/!svn/txr/%s%s" % (
            self.server.base, self.root, txn, path), **headers)

    def patch(self, path, *changes, **headers):
        """A PROPPATCH; `changes` are set() and remove()."""
        return self.ask("PROPPATCH", path, propertyupdate(*changes),
                        **{"Content-Type": "text/xml", **headers})

    def merge(self, source, path="/trunk", locks=(), **headers):
        """Commit; `source` is the name of a transaction or a URL path."""
        if not source.startswith("/"):
            source = self.root + "/!svn/txn/" + source
        tokens = "".join(
            "<S:lock><lock-path>%s</lock-path><lock-token>%s</lock-token>"
            "</S:lock>" % lock for lock in locks)
        return self.ask(
            "MERGE", path,
            '<?xml version="1.0"?><D:merge xmlns:D="DAV:"><D:source><D:href>'
            "%s</D:href></D:source><D:no-auto-merge/><D:no-checkout/><D:prop>"
            "<D:checked-in/></D:prop>%s</D:merge>" % (
                source, tokens and '<S:lock-token-list xmlns:S="svn:">%s'
                "</S:lock-token-list>" % tokens),
            **{"Content-Type": "text/xml", **headers})

    def commit(self, txn, **headers):
        """Commit; returns the number of the revision."""
        answer = self.merge(txn, X_SVN_Options="no-merge-response", **headers)
        assert answer.status == 200, (answer.status, answer.body)
        return merged(answer)

    def checkout(self, path, activity):
        """CHECKOUT into an activity; `path` is below the special URL."""
        return self.ask(
            "CHECKOUT", "/!svn" + path,
            '<?xml version="1.0"?><D:checkout xmlns:D="DAV:"><D:activity-set>'
            "<D:href>%s/!svn/act/%s</D:href></D:activity-set>"
            "<D:apply-to-version/></D:checkout>" % (self.root, activity),
            **XML)


def merged(answer):
    """The revision that the answer to a MERGE tells."""
    return int(re.search(rb"<D:version-name>(\d+)<", answer.body).group(1))


def _element(name, value=None, old=None, **attributes):
    """A property; `old`: its stated old value, "" for none."""
    ns, _, local = name.rpartition("|")
    attrs = "".join(' V:%s="%s"' % item for item in attributes.items())
    inner = ""
    if old is not None:
        inner += ('<V:old-value V:absent="1"></V:old-value>' if old is False
                  else "<V:old-value>%s</V:old-value>" % old)
    inner += value or ""
    prefix = {S: "S:", C: "C:", D: "D:"}.get(ns)
    if prefix is None:
        return '<X:%s xmlns:X="%s"%s>%s</X:%s>' % (local, ns, attrs, inner,
                                                   local)
    return "<%s%s%s>%s</%s%s>" % (prefix, local, attrs, inner, prefix, local)


def set_prop(name, value, **more):
    """Set a property; `name` is "NAMESPACE|local"."""
    return "<D:set><D:prop>%s</D:prop></D:set>" % _element(name, value, **more)


def set_binary(name, value):
    """Set a property to any bytes."""
    return set_prop(name, base64.encodebytes(value).decode(),
                    encoding="base64")


def remove_prop(name):
    """Remove a property."""
    return "<D:remove><D:prop>%s</D:prop></D:remove>" % _element(name)


def propertyupdate(*changes):
    """The body of a PROPPATCH."""
    return ('<?xml version="1.0" encoding="utf-8"?><D:propertyupdate '
            'xmlns:D="DAV:" xmlns:V="%s" xmlns:C="%s" xmlns:S="%s">%s'
            "</D:propertyupdate>" % (V, C, S, "".join(changes)))
