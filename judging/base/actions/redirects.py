"""HTTP calls that reach only addresses that the site allows."""

import io
import socket
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib import request

from judging.base.limits import MAX_REPLY_BYTES

GLOBAL_UNICAST = IPv6Network("2000::/3")  # all that is assigned to the public internet
NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052; an IPv6-only server reaches IPv4 through it
IPV4_COMPATIBLE = IPv6Network("::/96")


class NoRedirects(request.HTTPRedirectHandler):
    """Refuses redirects: they may lead to an address that is not allowed, and would send the key
    there."""

    def http_error_302(self, *args: Any, **kwargs: Any) -> None:
        return None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class _InTime(io.RawIOBase):
    """A server's reply, with a limit on its total time and size. A socket's timeout starts again
    with each piece, so a slow server could keep a worker busy for days; and http.client reads a
    chunk of negative length to the end of the reply."""

    def __init__(self, line: socket.socket, raw: io.RawIOBase, until: float) -> None:
        self.line, self.raw, self.until = line, raw, until
        self.left = MAX_REPLY_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        if self.left <= 0:
            raise ConnectionError("the answer is too long")
        self.line.settimeout(left)
        read = self.raw.readinto(buffer)
        self.left -= read or 0
        return read

    def close(self) -> None:
        self.raw.close()
        super().close()


class _ResponseInTime(HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        if seconds := sock.gettimeout():
            raw: Any = self.fp.detach()
            self.fp = io.BufferedReader(_InTime(sock, raw, time.monotonic() + seconds))


class _Http(request.HTTPHandler):
    def http_open(self, req: request.Request) -> HTTPResponse:
        return self.do_open(_PlainInTime, req)


class _Https(request.HTTPSHandler):
    def https_open(self, req: request.Request) -> HTTPResponse:
        return self.do_open(_SecretInTime, req)


class _PlainInTime(HTTPConnection):
    response_class = _ResponseInTime


class _SecretInTime(HTTPSConnection):
    response_class = _ResponseInTime


# the timeout of a call is for the whole of its reply
CONFINED = request.build_opener(NoRedirects, _Http, _Https)


class PrivateAddress(OSError):
    """A host name leads to an address that is not on the public internet."""

    def __init__(self, host: str) -> None:
        super().__init__(f"{host} is not a public address")


def connect_publicly(
    target: tuple[str, int], timeout: float | None, source_address: Any = None
) -> socket.socket:
    """Connect to the first address of a host that answers, if all of them are public.

    The connection goes to the address that was checked, so a name server cannot change it in
    between.
    """
    host, port = target
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(place[0]) for *_, place in found]
    if not all(is_public(address) for address in addresses):
        raise PrivateAddress(host)
    for address in addresses[:-1]:
        with suppress(OSError):
            return socket.create_connection((address, port), timeout)
    return socket.create_connection((addresses[-1], port), timeout)


def is_public(address: str) -> bool:
    """Return whether an address is on the public internet; one that contains an IPv4 address is as
    public as that address."""
    found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        if (contained := _contained(found)) is not None:
            found = contained
        elif found not in GLOBAL_UNICAST:
            return False
    return found.is_global and not found.is_multicast


def _contained(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address to which a network translates or tunnels an address, if any."""
    if address in NAT64 or address in IPV4_COMPATIBLE:
        return IPv4Address(address.packed[-4:])
    return address.ipv4_mapped or address.sixtofour


class _PublicSecretInTime(_SecretInTime):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._create_connection = connect_publicly


class _PublicHttps(request.HTTPSHandler):
    def https_open(self, req: request.Request) -> HTTPResponse:
        return self.do_open(_PublicSecretInTime, req)


# HTTPS to public addresses, without a proxy, which would look the name up itself
PUBLIC = request.build_opener(request.ProxyHandler({}), NoRedirects, _PublicHttps)
