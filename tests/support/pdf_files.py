"""PDF files, without a library: of one page, or of several."""

import zlib
from collections.abc import Sequence

_FONTS = [
    b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>" % name
    for name in (b"Helvetica", b"Helvetica-Bold")
]


def pdf(content: bytes, encrypt: bytes = b"", *, form: bytes = b"", box: tuple[int, int] = (600, 800)) -> bytes:
    """A PDF of one page with a stream of this content, in Helvetica. ``/X Do`` draws the form, as large as box."""
    fonts = b"/Font << /F 5 0 R /B 6 0 R >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << %s /XObject << /X 7 0 R >>"
        b" >> >>" % fonts,
        _stream(content),
        *_FONTS,
        _stream(form, b"/Type /XObject /Subtype /Form /BBox [0 0 %d %d] /Resources << %s >> " % (*box, fonts)),
    ]
    return _file(objects, encrypt)


def pdf_of_pages(contents: list[bytes]) -> bytes:
    """A PDF with a page for each stream, in Helvetica."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(contents)),
        _FONTS[0],
    ]
    for number, content in enumerate(contents):
        page = b"/Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F 3 0 R >> >>"
        objects.append(b"<< /Type /Page %s /Contents %d 0 R >>" % (page, 5 + 2 * number))
        objects.append(_stream(content))
    return _file(objects)


def _stream(content: bytes, entries: bytes = b"") -> bytes:
    packed = zlib.compress(content)
    return b"<< %s/Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (entries, len(packed), packed)


def _file(objects: Sequence[bytes], encrypt: bytes = b"") -> bytes:
    data, offsets = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R %s>>\n" % (size, table, size, encrypt)
    return data + head + b"startxref\n%d\n%%%%EOF" % len(data)
