"""Turn OPUS-MT's language codes (ISO 639-1 or 639-3, with a script or region) into the codes that clients send."""

import re

# ISO 639-3 to 639-1. The last lines are individual languages for which people send the code of the group.
_SHORT = dict(
    pair.split(":")
    for pair in """
    aar:aa abk:ab afr:af aka:ak amh:am ara:ar arg:an asm:as ava:av ave:ae aym:ay aze:az bak:ba bam:bm bel:be ben:bn
    bis:bi bod:bo bos:bs bre:br bul:bg cat:ca ces:cs cha:ch che:ce chu:cu chv:cv cor:kw cos:co cre:cr cym:cy dan:da
    deu:de div:dv dzo:dz ell:el eng:en epo:eo est:et eus:eu ewe:ee fao:fo fas:fa fij:fj fin:fi fra:fr fry:fy ful:ff
    gla:gd gle:ga glg:gl glv:gv grn:gn guj:gu hat:ht hau:ha heb:he her:hz hin:hi hmo:ho hrv:hr hun:hu hye:hy ibo:ig
    ido:io iii:ii iku:iu ile:ie ina:ia ind:id ipk:ik isl:is ita:it jav:jv jpn:ja kal:kl kan:kn kas:ks kat:ka kau:kr
    kaz:kk khm:km kik:ki kin:rw kir:ky kom:kv kon:kg kor:ko kua:kj kur:ku lao:lo lat:la lav:lv lim:li lin:ln lit:lt
    ltz:lb lub:lu lug:lg mah:mh mal:ml mar:mr mkd:mk mlg:mg mlt:mt mon:mn mri:mi msa:ms mya:my nau:na nav:nv nbl:nr
    nde:nd ndo:ng nep:ne nld:nl nno:nn nob:nb nor:no nya:ny oci:oc oji:oj ori:or orm:om oss:os pan:pa pli:pi pol:pl
    por:pt pus:ps que:qu roh:rm ron:ro run:rn rus:ru sag:sg san:sa sin:si slk:sk slv:sl sme:se smo:sm sna:sn snd:sd
    som:so sot:st spa:es sqi:sq srd:sc srp:sr ssw:ss sun:su swa:sw swe:sv tah:ty tam:ta tat:tt tel:te tgk:tg tgl:tl
    tha:th tir:ti ton:to tsn:tn tso:ts tuk:tk tur:tr twi:tw uig:ug ukr:uk urd:ur uzb:uz ven:ve vie:vi vol:vo wln:wa
    wol:wo xho:xh yid:yi yor:yo zha:za zho:zh zul:zu
    cmn:zh arb:ar pes:fa zsm:ms swh:sw ekk:et lvs:lv khk:mn ory:or npi:ne pbt:ps plt:mg uzn:uz azj:az ydd:yi als:sq
    """.split()
)
# Groups of languages (ISO 639-5) and other labels in the names of OPUS-MT models. They are not languages.
_GROUPS = frozenset(
    """
    aav afa alv art bat bnt cau ccs cel cpe cpf cpp crp cus dra eup fiu gem gmq gmw grk iir inc ine ira itc kar map
    mkh mul mun nah nic nub paa phi poz pqe roa sal sem sit sla smi tai trk tut urj wen xgn zhx zle zls zlw zlw synth
    """.split()
)
_CODE = re.compile(r"([a-z]{2,3})(?:[_-]([A-Za-z]{2,4}))?")


def language_code(label: str) -> str | None:
    """Return the code that clients send for a language label.

    ``deu`` is ``de``, ``cmn_Hans`` is ``zh-Hans``, ``pt_br`` is ``pt-BR``.

    Returns:
        None if the label is no language, but a group of languages, say.
    """
    match = _CODE.fullmatch(label)
    if match is None or match[1] in _GROUPS:
        return None
    language, detail = _SHORT.get(match[1], match[1]), match[2]
    if detail is None:
        return language
    return f"{language}-{detail.title() if len(detail) == 4 else detail.upper()}"
