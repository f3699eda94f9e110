"""QTI 3.0 (read and written) and 2.x (read): one file per item, its text as a stimulus, all in a package (ZIP)."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from django.utils.translation import gettext as _

from items.files import BadZip, ZipReader, zip_files
from items.formats.markup import BadXML, check_xml, parse_xml, read_html
from items.formats.questions import Question, Statistic, WrittenFile, group_questions, split_prompt, write_questions
from items.formats.rows import ItemRow, Reading, TextRow
from items.language import parse_language
from items.plain import make_printable, strip_text

QTI = "http://www.imsglobal.org/xsd/imsqtiasi_v3p0"
PACKAGE = "http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1"
RULES = "https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/match_correct.xml"
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
USAGE = "http://www.imsglobal.org/xsd/imsqti_usagedata_v3p0"
MANIFEST, USAGE_DATA = "imsmanifest.xml", "usage-data.xml"
# Our own mark of a verbatim element: white space is kept, and only `br` breaks a line.
VERBATIM = "lesart-verbatim"
INTERACTION = re.compile("interaction$")
OPEN = ("extendedtextinteraction", "textentryinteraction")


# Writing


def write_qti(texts: Iterable[TextRow], statistics: Iterable[Statistic] = (), source: str = "") -> WrittenFile:
    """A package: a stimulus for each text, an item file for each item, and the manifest that lists them.

    statistics: for the usage data of the package. source: a URI of their origin.
    """
    package = _Package(list(statistics), source)
    written = write_questions(package.follow(texts), package.add_item, {"id", "title", "language"})
    written.content = package.build() if package.items else b""
    return written


class _Package:
    """Files of a package. A text gets its stimulus with its first item, so that there is no text without items."""

    def __init__(self, statistics: list[Statistic], source: str) -> None:
        self.statistics, self.source = statistics, source
        self.files: dict[str, bytes] = {}
        self.items: list[tuple[str, str]] = []  # each with its stimulus
        self.names: dict[str, str] = {}  # of items, by their ids
        self.stimuli: dict[int, str] = {}
        self.n_texts = 0
        self.text = TextRow()

    def follow(self, texts: Iterable[TextRow]) -> Iterator[TextRow]:
        """The texts; remembers the current one for `add_item`."""
        for self.text in texts:
            self.n_texts += 1
            yield self.text

    def add_item(self, body: str, item: ItemRow) -> tuple[str, set[str]]:
        """Add the file of the item; returns an empty part, as all items of a package are separate files."""
        options = item.options or []
        check_xml(body, self.text.title or "", item.stem, item.expected_answer or "", *(each.text for each in options))
        stimulus = self._add_stimulus(body)
        name = f"item-{len(self.items) + 1}"
        self.files[f"items/{name}.xml"] = _build_item(name, stimulus, item)
        self.items.append((name, stimulus))
        self.names[item.id or ""] = name
        held = {"id"} | ({"answer"} if not options else set())
        return "", held | ({"multiple"} if item.multiple and options else set())

    def _add_stimulus(self, body: str) -> str:
        if self.n_texts not in self.stimuli:
            name = self.stimuli[self.n_texts] = f"text-{self.n_texts}"
            text = self.text
            root = Element("qti-assessment-stimulus", {"xmlns": QTI, "identifier": name})
            root.attrib |= {"title": text.title or name}
            root.attrib |= {key: value for key, value in (("label", text.id), (XML_LANG, text.language)) if value}
            _add_verbatim(SubElement(root, "qti-stimulus-body"), "p", body)
            self.files[f"texts/{name}.xml"] = _serialize(root)
        return self.stimuli[self.n_texts]

    def build(self) -> bytes:
        if self.statistics:
            self.files[USAGE_DATA] = _serialize(self._build_usage_data())
        return zip_files({MANIFEST: _serialize(self._build_manifest()), **self.files})

    def _build_usage_data(self) -> Element:
        """The statistics of the items in the package."""
        root = Element("usageData", {"xmlns": USAGE})
        for each in self.statistics:
            if name := self.names.get(each.item_id):
                about = {"name": each.measure, "context": self.source, "caseCount": str(each.n)}
                statistic = SubElement(root, "ordinaryStatistic", about)
                SubElement(statistic, "targetObject", {"identifier": name})
                SubElement(statistic, "value").text = repr(each.mean)
        return root

    def _build_manifest(self) -> Element:
        root = Element("manifest", {"xmlns": PACKAGE, "identifier": "lesart-items"})
        metadata = SubElement(root, "metadata")
        SubElement(metadata, "schema").text = "QTI Package"
        SubElement(metadata, "schemaversion").text = "3.0.0"
        SubElement(root, "organizations")
        resources = SubElement(root, "resources")
        for name in self.stimuli.values():
            _add_resource(resources, name, "imsqti_stimulus_xmlv3p0", f"texts/{name}.xml")
        for name, stimulus in self.items:
            resource = _add_resource(resources, name, "imsqti_item_xmlv3p0", f"items/{name}.xml")
            SubElement(resource, "dependency", {"identifierref": stimulus})
        if USAGE_DATA in self.files:
            _add_resource(resources, "usage-data", "qtiusagedata/xml", USAGE_DATA)
        return root


def _serialize(root: Element) -> bytes:
    content: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return content


def _add_resource(resources: Element, name: str, kind: str, href: str) -> Element:
    resource = SubElement(resources, "resource", {"identifier": name, "type": kind, "href": href})
    SubElement(resource, "file", {"href": href})
    return resource


def _add_verbatim(parent: Element, name: str, text: str, **attributes: str) -> None:
    element = SubElement(parent, name, attributes | {"class": VERBATIM})
    element.text, *lines = text.split("\n")
    for line in lines:
        SubElement(element, "br").tail = line


def _build_item(name: str, stimulus: str, item: ItemRow) -> bytes:
    root = Element("qti-assessment-item", {"xmlns": QTI, "identifier": name, "title": item.id or item.stem[:100]})
    root.attrib |= ({"label": item.id} if item.id else {}) | {"adaptive": "false", "time-dependent": "false"}
    keys = [f"option-{n}" for n, option in enumerate(item.options or [], start=1) if option.correct]
    values = keys if item.options else [item.expected_answer] if item.expected_answer else []
    several = bool(item.options) and (len(keys) != 1 or bool(item.multiple))
    _declare_response(root, values, several, "identifier" if item.options else "string")
    href = f"../texts/{stimulus}.xml"
    SubElement(root, "qti-assessment-stimulus-ref", {"identifier": stimulus, "href": href})
    _add_interaction(SubElement(root, "qti-item-body"), item, several)
    _add_processing(root, item, bool(keys))
    return _serialize(root)


def _declare_response(root: Element, values: list[str], several: bool, kind: str) -> None:
    fields = {"identifier": "RESPONSE", "cardinality": "multiple" if several else "single", "base-type": kind}
    declaration = SubElement(root, "qti-response-declaration", fields)
    if values:
        correct = SubElement(declaration, "qti-correct-response")
        for value in values:
            SubElement(correct, "qti-value").text = value
    score = {"identifier": "SCORE", "cardinality": "single", "base-type": "float"}
    SubElement(root, "qti-outcome-declaration", score)


def _add_interaction(body: Element, item: ItemRow, several: bool) -> None:
    if not item.options:
        interaction = SubElement(body, "qti-extended-text-interaction", {"response-identifier": "RESPONSE"})
        _add_verbatim(interaction, "qti-prompt", item.stem)
        return
    values = {"response-identifier": "RESPONSE", "max-choices": "0" if several else "1", "min-choices": "0"}
    interaction = SubElement(body, "qti-choice-interaction", values)
    _add_verbatim(interaction, "qti-prompt", item.stem)
    for n, option in enumerate(item.options, start=1):
        _add_verbatim(interaction, "qti-simple-choice", option.text, identifier=f"option-{n}")


def _add_processing(root: Element, item: ItemRow, has_key: bool) -> None:
    """Options without a key are right if nothing is chosen; open answers are scored by people."""
    if not item.options:
        return
    if has_key:
        SubElement(root, "qti-response-processing", {"template": RULES})
        return
    condition = SubElement(SubElement(root, "qti-response-processing"), "qti-response-condition")
    first = SubElement(condition, "qti-response-if")
    SubElement(SubElement(first, "qti-is-null"), "qti-variable", {"identifier": "RESPONSE"})
    _set_score(first, "1")
    _set_score(SubElement(condition, "qti-response-else"), "0")


def _set_score(parent: Element, score: str) -> None:
    value = SubElement(parent, "qti-set-outcome-value", {"identifier": "SCORE"})
    SubElement(value, "qti-base-value", {"base-type": "float"}).text = score


# Reading


def read_package(content: bytes) -> Reading:
    """The items of a package in the order of its manifest."""
    reading = Reading()
    try:
        archive = ZipReader(content)
        roots = {name: _parse(archive.read(name), name) for name in archive.names if name.lower().endswith(".xml")}
    except (BadZip, BadXML) as error:
        reading.problems.add(0, "", str(error))
        return reading
    if not roots:
        sentence = _(
            "The ZIP file contains neither QTI nor a CSV or JSONL file, but: {names}. Unpack it and send what is in it."
        )
        reading.problems.add(0, "", sentence.format(names=", ".join(map(make_printable, list(archive.names)[:5]))))
        return reading
    ordered = [name for name in _list_hrefs(roots) if name in roots]
    items = [name for name in dict.fromkeys([*ordered, *roots]) if roots[name].tag == "assessmentitem"]
    group_questions(_read_items(items, roots, reading), reading)
    return reading


def read_item(root: Element) -> Reading:
    """The single item of a file, with normalized names."""
    reading = Reading()
    group_questions(_read_items([""], {"": root}, reading), reading)
    return reading


def _parse(content: bytes, name: str) -> Element:
    try:
        return normalize(parse_xml(content))
    except BadXML as error:
        raise BadXML(f"{make_printable(name)}: {error}") from None


def normalize(root: Element) -> Element:
    """The tree with names in one spelling for all versions: no namespace, prefix, hyphens or capitals."""
    for element in root.iter():
        element.tag = _normalize_name(str(element.tag))
        element.attrib = {_normalize_name(name): value for name, value in element.attrib.items()}
    return root


def _normalize_name(name: str) -> str:
    return name.rpartition("}")[2].lower().removeprefix("qti-").replace("-", "")


def _list_hrefs(roots: dict[str, Element]) -> list[str]:
    manifests = [name for name in roots if posixpath.basename(name) == MANIFEST]
    return [_resolve(name, resource.get("href", "")) for name in manifests for resource in roots[name].iter("resource")]


def _resolve(name: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), href))


def _read_items(names: list[str], roots: dict[str, Element], reading: Reading) -> Iterator[Question]:
    for number, name in enumerate(names, start=1):
        root = roots[name]
        reading.names[number] = make_printable(name) or _("the item")
        ref = root.find("assessmentstimulusref")
        stimulus = None if ref is None else roots.get(_resolve(name, ref.get("href", "")))
        if item := _read_item(root, number, reading):
            body, text = _read_stimulus(stimulus)
            surroundings = item.pop("surroundings")
            if not item["question"]:
                rest, item["question"] = ("", surroundings) if body else split_prompt(surroundings)
                surroundings = rest
            yield Question(number, body or surroundings, item, text)


def _read_stimulus(root: Element | None) -> tuple[str, dict[str, Any]]:
    """The text of the stimulus, and its other fields."""
    body = root.find("stimulusbody") if root is not None else None
    if root is None or body is None:
        return "", {}
    title = root.get("title", "")
    language = parse_language(root.get("lang", "")) or ""
    values = {"id": root.get("label"), "title": title if title != root.get("identifier") else "", "language": language}
    return _read_words(body), {field: value for field, value in values.items() if value}


def _read_item(root: Element, number: int, reading: Reading) -> dict[str, Any] | None:
    body = root.find("itembody")
    found = [] if body is None else [each for each in body.iter() if INTERACTION.search(each.tag)]
    if body is None or len(found) != 1 or found[0].tag not in ("choiceinteraction", *OPEN):
        reading.warnings.add(number, "", _("This kind of question is not imported: neither a choice nor an open one."))
        return None
    (interaction,) = found
    prompt = interaction.find("prompt")
    fields: dict[str, Any] = {"question": "" if prompt is None else _read_words(prompt)}
    fields |= {"id": root.get("label")} if root.get("label") else {}
    values, several, has_key = _read_key(root, interaction.get("responseidentifier", "RESPONSE"))
    if interaction.tag in OPEN:
        fields |= {"answer": values[0]} if values else {}
    elif not has_key:
        reading.warnings.add(number, "", _("The item does not say which option is correct. It was left out."))
        return None
    else:
        choices = list(interaction.iter("simplechoice"))
        fields["answers"] = [{"text": _read_words(c), "correct": c.get("identifier") in values} for c in choices]
        fields |= {"multiple": True} if several else {}
    for element in list(interaction):
        interaction.remove(element)
    return fields | {"surroundings": _read_words(body)}


def _read_key(root: Element, name: str) -> tuple[list[str], bool, bool]:
    """The correct values, whether several may be chosen, and whether the item declares what is correct."""
    declared = [each for each in root.iter("responsedeclaration") if each.get("identifier") == name]
    if not declared:
        return [], False, False
    values = [strip_text(value.text or "") for value in declared[0].iterfind("correctresponse/value")]
    if not values:
        entries = declared[0].iterfind("mapping/mapentry")
        values = [entry.get("mapkey", "") for entry in entries if _read_score(entry) > 0]
    has_key = bool(values) or root.find(".//responseif/isnull") is not None
    return values, declared[0].get("cardinality") == "multiple", has_key


def _read_score(entry: Element) -> float:
    try:
        return float(entry.get("mappedvalue", "0"))
    except ValueError:
        return 0.0


def _read_words(element: Element) -> str:
    """The contents of the element as plain text; unchanged if Lesart wrote it."""
    verbatim = element if element.get("class") == VERBATIM else element.find(f"*[@class='{VERBATIM}']")
    if verbatim is not None:
        return strip_text((verbatim.text or "") + "".join("\n" + (each.tail or "") for each in verbatim))
    return read_html(tostring(element, encoding="unicode", method="html"))[1]
