"""Content controls of Word that are bound to data: the data follow the translation, which Word would overwrite else."""

import io
import zipfile

import docx
import pytest
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from lxml import etree

from tests.support.documents import translate
from tests.support.office_files import W, run, saved

COVER, PROPERTIES = "http://schemas.microsoft.com/office/2006/coverPageProps", "application/xml"
IDS = "http://schemas.openxmlformats.org/officeDocument/2006/customXml"
STORE = "{55AF091B-3C7A-41E3-B477-F2FDAA23CFDA}"
CORE = "{6C3C8BC8-F283-45AE-878A-BAB7291924A1}"
SPACES = (
    f"xmlns:ns0='{COVER}' xmlns:dc='http://purl.org/dc/elements/1.1/' "
    "xmlns:cp='http://schemas.openxmlformats.org/package/2006/metadata/core-properties'"
)
ABSTRACT = "/ns0:CoverPageProperties[1]/ns0:Abstract[1]"


def translated(path: str, shown: str, store: str = STORE) -> zipfile.ZipFile:
    document = docx.Document()
    document.core_properties.comments = "ein Entwurf"
    for name, content in (
        ("item7", f'<CoverPageProperties xmlns="{COVER}"><Abstract>der Hund</Abstract></CoverPageProperties>'),
        ("itemProps7", f'<ds:datastoreItem xmlns:ds="{IDS}" ds:itemID="{STORE.lower()}"/>'),
    ):
        part = Part(PackURI(f"/customXml/{name}.xml"), PROPERTIES, content.encode(), document.part.package)
        document.part.relate_to(part, f"urn:{name}")
    binding = f'<w:dataBinding w:prefixMappings="{SPACES}" w:xpath="{path}" w:storeItemID="{store}"/>'
    control = f"<w:sdt><w:sdtPr>{binding}</w:sdtPr><w:sdtContent>{run(shown)}</w:sdtContent></w:sdt>"
    document.element.body.insert(0, parse_xml(f"<w:p {W}>{run('Hier: ')}{control}</w:p>"))
    return zipfile.ZipFile(io.BytesIO(translate(saved(document), "a.docx")))


@pytest.mark.parametrize(
    ("path", "shown", "expected"),
    [
        (ABSTRACT, "der Hund", "DER HUND"),
        ("/ns0:CoverPageProperties/ns0:Abstract", "der Hund", "DER HUND"),
        (ABSTRACT, "die Katze", "der Hund"),  # the control shows something else, as a date does
        (ABSTRACT.replace("Abstract[1]", "Abstract[2]"), "der Hund", "der Hund"),
        (ABSTRACT.replace("ns0", "ns1"), "der Hund", "der Hund"),
        ("//*[count(//*) &gt; 0]", "der Hund", "der Hund"),
    ],
)
def test_data_follow_their_control(path: str, shown: str, expected: str) -> None:
    package = translated(path, shown)
    data = etree.fromstring(package.read("customXml/item7.xml"))
    assert "".join(data.itertext()) == expected
    texts = etree.fromstring(package.read("word/document.xml")).iter("{*}t")
    assert "".join(text.text for text in texts) == f"HIER: {shown.upper()}"


def test_properties_of_the_document_follow_their_control() -> None:
    package = translated("/cp:coreProperties[1]/dc:description[1]", "ein Entwurf", CORE)
    properties = etree.fromstring(package.read("docProps/core.xml"))
    assert properties.findtext("{*}description") == "EIN ENTWURF"
