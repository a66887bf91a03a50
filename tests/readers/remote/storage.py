"""Storage on this machine that speaks as much of Google's and Amazon's protocols as reading needs.

``with storage({"bucket/a/b": b"…"}) as (gcs, s3, objects):`` gives the address of each; ``objects`` may be
changed while it runs. A bucket called ``secret`` refuses everything.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

SECRET = "secret"
UPDATED = "2026-01-01T00:00:00.000000Z"
UPDATED_S = 1_767_225_600


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    objects: ClassVar[dict[str, bytes]] = {}

    def log_message(self, *_: object) -> None:
        """Tests are quiet."""

    def answer(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", headers.get("Length", str(len(body))))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def content(self, body: bytes, **headers: str) -> None:
        """An object, or the range of it that was asked for."""
        wanted = self.headers.get("Range", "")
        if not wanted.startswith("bytes="):
            self.answer(200, body, "application/octet-stream", **headers)
            return
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        begin = int(first) if first else max(0, len(body) - int(last))
        end = min(int(last) + 1, len(body)) if first and last else len(body)
        if begin >= len(body):
            self.answer(416, b"", "text/plain")
            return
        span = f"bytes {begin}-{end - 1}/{len(body)}"
        self.answer(206, body[begin:end], "application/octet-stream", Content_Range=span, **headers)

    def listed(self, bucket: str, prefix: str, delimiter: str) -> tuple[list[str], list[str]]:
        """Names of objects and of "directories" below a prefix."""
        names = sorted(n.partition("/")[2] for n in self.objects if n.startswith(f"{bucket}/{prefix}"))
        if not delimiter:
            return names, []
        below = [name for name in names if delimiter in name[len(prefix) :]]
        folders = {prefix + name[len(prefix) :].partition(delimiter)[0] + delimiter for name in below}
        return [name for name in names if name not in below], sorted(folders)

    def exists(self, bucket: str) -> bool:
        return any(name.startswith(f"{bucket}/") for name in self.objects)


class _Gcs(_Handler):
    """https://cloud.google.com/storage/docs/json_api: objects.list, objects.get and their content."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        given = {name: values[0] for name, values in parse_qs(address.query).items()}
        _, _, rest = address.path.partition("/b/")
        bucket, _, name = rest.partition("/o")
        bucket, name = unquote(bucket), unquote(name.removeprefix("/"))
        if bucket == SECRET:
            self.refuse(403, "The caller does not have storage.objects.list access.")
        elif not self.exists(bucket):
            self.refuse(404, "The specified bucket does not exist.")
        elif not name:
            files, folders = self.listed(bucket, given.get("prefix", ""), given.get("delimiter", ""))
            self.say({"prefixes": folders, "items": [self.described(bucket, file) for file in files]})
        elif f"{bucket}/{name}" not in self.objects:
            self.refuse(404, "No such object.")
        elif address.path.startswith("/download/") or given.get("alt") == "media":
            self.content(self.objects[f"{bucket}/{name}"])
        else:
            self.say(self.described(bucket, name))

    do_HEAD = do_GET  # noqa: N815 - as http.server calls it

    def described(self, bucket: str, name: str) -> dict[str, str]:
        size = len(self.objects[f"{bucket}/{name}"])
        return {
            "name": name,
            "bucket": bucket,
            "size": str(size),
            "updated": UPDATED,
            "generation": str(size),
        }

    def say(self, value: object, status: int = 200) -> None:
        self.answer(status, json.dumps(value).encode(), "application/json")

    def refuse(self, status: int, message: str) -> None:
        self.say({"error": {"code": status, "message": message}}, status)


class _S3(_Handler):
    """https://docs.aws.amazon.com/AmazonS3/latest/API: ListObjectsV2, HeadObject, GetObject."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        given = {n: v[0] for n, v in parse_qs(address.query, keep_blank_values=True).items()}
        bucket, _, name = unquote(address.path).lstrip("/").partition("/")
        if bucket == SECRET:
            self.refuse(403, "AccessDenied")
        elif not self.exists(bucket):
            self.refuse(404, "NoSuchBucket")
        elif not name:
            self.list(bucket, given.get("prefix", ""), given.get("delimiter", ""))
        elif f"{bucket}/{name}" not in self.objects:
            self.refuse(404, "NoSuchKey")
        else:
            body = self.objects[f"{bucket}/{name}"]
            self.content(body, ETag=_tag(body), Last_Modified=formatdate(UPDATED_S, usegmt=True))

    do_HEAD = do_GET  # noqa: N815 - as http.server calls it

    def list(self, bucket: str, prefix: str, delimiter: str) -> None:
        files, folders = self.listed(bucket, prefix, delimiter)
        rows = [
            f"<Contents><Key>{escape(name)}</Key><LastModified>{UPDATED}</LastModified>"
            f"<ETag>{escape(_tag(body))}</ETag><Size>{len(body)}</Size></Contents>"
            for name in files
            for body in [self.objects[f"{bucket}/{name}"]]
        ]
        rows += [f"<CommonPrefixes><Prefix>{escape(n)}</Prefix></CommonPrefixes>" for n in folders]
        head = f"<Name>{bucket}</Name><Prefix>{escape(prefix)}</Prefix><KeyCount>{len(rows)}</KeyCount>"
        body = f"<ListBucketResult>{head}<IsTruncated>false</IsTruncated>{''.join(rows)}</ListBucketResult>"
        self.answer(200, body.encode(), "application/xml")

    def refuse(self, status: int, code: str) -> None:
        body = f"<Error><Code>{code}</Code><Message>{code}</Message></Error>"
        self.answer(status, body.encode(), "application/xml")


def _tag(body: bytes) -> str:
    return f'"{md5(body, usedforsecurity=False).hexdigest()}"'


@contextmanager
def storage(objects: Mapping[str, bytes]) -> Iterator[tuple[str, str, dict[str, bytes]]]:
    """Addresses of both protocols, and what is stored as ``bucket/name``."""
    stored = dict(objects)
    servers = []
    for kind in (_Gcs, _S3):
        handler = type(kind.__name__, (kind,), {"objects": stored})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
    gcs, s3 = (f"http://127.0.0.1:{server.server_address[1]}" for server in servers)
    try:
        yield gcs, s3, stored
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def environment(gcs: str, s3: str) -> dict[str, str]:
    """What sends gcsfs and s3fs to these addresses, and keeps etils from asking TensorFlow."""
    return {
        "EPATH_USE_TF": "false",
        "STORAGE_EMULATOR_HOST": gcs,
        "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false",
        "FSSPEC_GCS_TOKEN": "anon",
        "FSSPEC_S3_ENDPOINT_URL": s3,
        "FSSPEC_S3_ANON": "true",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
