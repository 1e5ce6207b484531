"""PDF files, without a library: of one page, or of several."""

import zlib


def pdf(content: bytes, encrypt: bytes = b"") -> bytes:
    """A PDF of one page with a stream of this content, in Helvetica."""
    stream = zlib.compress(content)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R /B 6 0 R"
        b" >> >> >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    ]
    data, offsets = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return data + b"xref\n0 7\n0000000000 65535 f \n%strailer << /Size 7 /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF" % (
        table,
        encrypt,
        len(data),
    )


def pdf_of_pages(contents: list[bytes]) -> bytes:
    """A PDF with a page for each stream, in Helvetica."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(contents)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, content in enumerate(contents):
        stream = zlib.compress(content)
        page = b"/Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F 3 0 R >> >>"
        objects.append(b"<< /Type /Page %s /Contents %d 0 R >>" % (page, 5 + 2 * number))
        objects.append(b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream))
    data, offsets = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\n" % (size, table, size)
    return data + head + b"startxref\n%d\n%%%%EOF" % len(data)
