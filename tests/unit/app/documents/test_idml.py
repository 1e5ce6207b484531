"""InDesign's interchange format: the texts of stories are translated, and everything else stays where it was."""

import io
import zipfile

import pytest
from lxml import etree

from app.documents.registry import find_format
from app.errors import DamagedDocument
from tests.support.documents import translate
from tests.support.hostile_documents import packed

PLAIN = 'AppliedCharacterStyle="CharacterStyle/$ID/[No character style]"'
STORY = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<idPkg:Story xmlns:idPkg="http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging" DOMVersion="20.0">
  <Story Self="u1" AppliedTOCStyle="n" TrackChanges="true" StoryTitle="$ID/">
    <StoryPreference OpticalMarginAlignment="false" StoryDirection="LeftToRightDirection"/>
    BODY
  </Story>
</idPkg:Story>"""
BODY = f"""<ParagraphStyleRange AppliedParagraphStyle="ParagraphStyle/Title">
      <Properties><Leading type="unit">14</Leading></Properties>
      <CharacterStyleRange {PLAIN}>
        <Properties><AppliedFont type="string">Minion Pro</AppliedFont></Properties>
        <Content>Der Hund läuft.</Content>
        <Br/>
        <Content>Die </Content>
      </CharacterStyleRange>
      <CharacterStyleRange {PLAIN} FontStyle="Bold">
        <Properties><AppliedFont type="string">Minion Pro</AppliedFont></Properties>
        <Content>Katze</Content>
      </CharacterStyleRange>
      <CharacterStyleRange {PLAIN}>
        <Properties><AppliedFont type="string">Minion Pro</AppliedFont></Properties>
        <Content> schläft.</Content>
        <Br/>
      </CharacterStyleRange>
    </ParagraphStyleRange>"""


def idml(body: str, *, mimetype: str = "application/vnd.adobe.indesign-idml-package") -> bytes:
    return packed(
        {
            "mimetype": mimetype,
            "designmap.xml": '<?aid style="50"?><Document StoryList="u1"><idPkg:Story xmlns:idPkg="x"/></Document>',
            "Stories/Story_u1.xml": STORY.replace("BODY", body),
            "Resources/Styles.xml": "<Styles><Content>Der Stil</Content></Styles>",
        },
        zipfile.ZIP_STORED,
    )


def written(body: str, replaced: dict[str, str]) -> str:
    """The body when its texts were translated so, without white space between elements."""
    document = find_format("a.idml").reader()(idml(body))
    file = document.write([replaced[text] for text in document.texts], "en")
    root = etree.fromstring(zipfile.ZipFile(io.BytesIO(file)).read("Stories/Story_u1.xml"))
    return "".join(shown(each) for each in root[0].iterchildren("ParagraphStyleRange"))


def shown(element: etree._Element) -> str:
    """An element without white space between others; several ``Content`` elements are one text."""
    for each in element.iter("*"):
        each.tail = None
        each.text = each.text if each.tag == "Content" or (each.text or "").strip() else None
    declared = ' xmlns:idPkg="http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging"'
    return etree.tostring(element, encoding="unicode").replace(declared, "").replace("</Content><Content>", "")


def unchanged(body: str) -> str:
    return shown(etree.fromstring(body))


def test_a_story_is_translated_and_everything_else_stays():
    data = idml(BODY)
    found = translate(data, "a.idml")
    before, after = (zipfile.ZipFile(io.BytesIO(each)) for each in (data, found))
    assert before.namelist() == after.namelist() and after.infolist()[0].compress_type == zipfile.ZIP_STORED
    for name in ("mimetype", "designmap.xml", "Resources/Styles.xml"):
        assert before.read(name) == after.read(name)
    story = after.read("Stories/Story_u1.xml").decode()
    assert story.startswith("<?xml version='1.0' encoding='UTF-8' standalone='yes'?>")
    wanted = BODY.replace("Der Hund läuft.", "DER HUND LÄUFT.").replace("Die ", "DIE ").replace("Katze", "KATZE")
    root = etree.fromstring(story.encode())
    assert shown(root[0][1]) == unchanged(wanted.replace("schläft.", "SCHLÄFT."))


def test_one_paragraph_is_one_text_and_most_of_it_needs_no_tag():
    document = find_format("a.idml").reader()(idml(BODY))
    assert document.texts == ("Der Hund läuft.", "Die <g0>Katze</g0> schläft.")
    translations = {document.texts[0]: "The dog runs.", document.texts[1]: "Asleep is <g0>the cat</g0>"}
    wanted = BODY.replace("Der Hund läuft.", "The dog runs.").replace("Die ", "Asleep is ").replace("Katze", "the cat")
    assert written(BODY, translations) == unchanged(wanted.replace("<Content> schläft.</Content>", ""))


PARTS = f"""<ParagraphStyleRange><CharacterStyleRange {PLAIN}>
      <Content>Seite <?ACE 18?>, siehe&#x2028;unten\tund \ufeff</Content>
      <HyperlinkTextSource Self="u2" Name="Link" Hidden="false">
        <Content>Anhang</Content>
      </HyperlinkTextSource>
      <Footnote>
        <ParagraphStyleRange><CharacterStyleRange {PLAIN}><Content><?ACE 4?>\tDie Note.</Content>
        </CharacterStyleRange></ParagraphStyleRange>
      </Footnote>
      <Content>.</Content>
      <Br/>
      <Table Self="t"><Cell Self="c"><ParagraphStyleRange><CharacterStyleRange {PLAIN}>
        <Content>Zelle</Content></CharacterStyleRange></ParagraphStyleRange></Cell></Table>
      <Br/>
      <TextVariableInstance Self="v" Name="Datum" ResultText="1. Mai"/>
      <Br/>
    </CharacterStyleRange></ParagraphStyleRange>"""


def test_fields_links_notes_and_tables_keep_their_places():
    document = find_format("a.idml").reader()(idml(PARTS))
    page = 'Seite <m id="0"></m>, siehe<br id="1"/>unten<br id="2"/>und <x id="3"/><g4>Anhang</g4><x id="5"/>.'
    note = '<x id="0"/><br id="1"/>Die Note.'
    assert document.texts == (page, note, "Zelle")
    english = 'See <br id="1"/>page <m id="0"></m> below<br id="2"/>and <x id="3"/>the <g4>annex</g4><x id="5"/>.'
    found = written(PARTS, {page: english, note: '<x id="0"/><br id="1"/>The note.', "Zelle": "cell"})
    wanted = PARTS.replace(
        "Seite <?ACE 18?>, siehe&#x2028;unten\tund \ufeff", "See \u2028page <?ACE 18?> below\tand \ufeffthe "
    )
    wanted = wanted.replace("Anhang", "annex").replace("Die Note", "The note").replace("Zelle", "cell")
    assert found == unchanged(wanted)


CHANGES = f"""<ParagraphStyleRange>
      <Change ChangeType="InsertedText" UserName="a"><CharacterStyleRange {PLAIN}>
        <Properties><Leading type="unit">8</Leading></Properties>
        <Content>Der neue Hund</Content><Br/></CharacterStyleRange></Change>
      <CharacterStyleRange {PLAIN}><Content> und </Content>
        <Change ChangeType="DeletedText" UserName="a"><Content>die alte Katze</Content></Change></CharacterStyleRange>
      <XMLElement Self="x" MarkupTag="XMLTag/b"><CharacterStyleRange {PLAIN}><Content>Maus</Content>
        </CharacterStyleRange></XMLElement>
    </ParagraphStyleRange>"""


def test_tracked_changes_and_tags_of_xml_keep_their_places():
    document = find_format("a.idml").reader()(idml(CHANGES))
    text = '<g0><g1>Der neue Hund<br id="2"/></g1></g0> und <m id="3"></m><g4><g5>Maus</g5></g4>'
    assert document.texts == (text,)
    english = text.replace("Der neue Hund", "The new dog").replace("und", "and").replace("Maus", "mouse")
    wanted = CHANGES.replace("Der neue Hund", "The new dog").replace(" und ", " and ").replace("Maus", "mouse")
    assert written(CHANGES, {text: english}) == unchanged(wanted)


def test_words_outside_of_all_runs_get_one():
    body = f"<ParagraphStyleRange><XMLElement><CharacterStyleRange {PLAIN}><Content>Der Hund</Content>"
    body += "</CharacterStyleRange></XMLElement></ParagraphStyleRange>"
    found = written(body, {"<g0><g1>Der Hund</g1></g0>": "<g0><g1>The dog</g1></g0> here"})
    here = "<CharacterStyleRange><Content> here</Content></CharacterStyleRange></ParagraphStyleRange>"
    assert found == body.replace("Der Hund", "The dog").replace("</ParagraphStyleRange>", here)


def test_attributes_of_no_meaning_are_left_out_without_harm():
    body = f'<ParagraphStyleRange><CharacterStyleRange {PLAIN}><Content place="a" kept="a">Der Hund</Content>'
    body += '<Note place="7"/><Change kept="a" place="9"><Content>läuft</Content></Change><Change kept="&lt;" '
    body += 'ChangeType="DeletedText"/></CharacterStyleRange></ParagraphStyleRange>'
    document = find_format("a.idml").reader()(idml(body))
    story = zipfile.ZipFile(io.BytesIO(document.write(document.texts, "en"))).read("Stories/Story_u1.xml")
    assert "".join(etree.fromstring(story).itertext()).split() == ["Der", "Hundläuft"]


def test_what_is_no_idml_is_refused():
    with pytest.raises(DamagedDocument):
        find_format("a.idml").reader()(idml(BODY, mimetype="application/epub+zip"))
    with pytest.raises(DamagedDocument):
        find_format("a.idml").reader()(idml("<ParagraphStyleRange>"))
