"""The pages of a PDF file, laid out by pdfminer."""

from collections.abc import Iterator
from io import BytesIO

from pdfminer.converter import PDFPageAggregator
from pdfminer.encodingdb import EncodingDB
from pdfminer.layout import LAParams, LTPage
from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdffont import PDFFont
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser, PDFSyntaxError
from pdfminer.pdftypes import PDFObjRef

_PAGE = 0.3  # of a page: what covers more is the page itself, or one of two on it; a picture with labels covers less


def laid_out(data: bytes) -> Iterator[LTPage]:
    """Yields the pages of a file. Whatever pdfminer raises comes through."""
    resources = PDFResourceManager()
    device = _Aggregator(resources, laparams=LAParams())
    interpreter = PDFPageInterpreter(resources, device)
    for page in PDFPage.create_pages(_Document(PDFParser(BytesIO(data)))):
        interpreter.process_page(page)
        yield device.get_result()


class _Aggregator(PDFPageAggregator):
    def end_figure(self, _: str) -> None:
        """Ends a form: pdfminer takes it for a picture and reads no text in it, but programs put whole pages in one."""
        form, self.cur_item = self.cur_item, self._stack.pop()
        page = self._stack[0] if self._stack else self.cur_item
        if form.width * form.height > _PAGE * page.width * page.height:
            self.cur_item.extend(form)
        else:
            self.cur_item.add(form)

    def handle_undefined_char(self, font: PDFFont, cid: int) -> str:
        """Returns a bullet for a code without a character in WinAnsiEncoding: reportlab writes its bullets as 127."""
        encoding = getattr(font, "cid2unicode", None)
        is_bullet = encoding is EncodingDB.encodings["WinAnsiEncoding"] and cid > ord(" ")
        return "•" if is_bullet else super().handle_undefined_char(font, cid)


class _Document(PDFDocument):
    """A document whose objects are no references: pdfminer would follow a ring of them for ever."""

    def getobj(self, objid: int) -> object:
        found, seen = super().getobj(objid), {objid}
        while isinstance(found, PDFObjRef):
            if found.objid in seen:
                raise PDFSyntaxError(f"object {objid} is a reference to itself")
            seen.add(found.objid)
            found = super().getobj(found.objid)
        return found
