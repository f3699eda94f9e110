"""XML files and packages of questions: which kind one is, is seen from its content."""

from django.utils.translation import gettext as _

from items.formats import moodle, qti
from items.formats.markup import BadXML, parse_xml
from items.formats.rows import Reading

ZIP = b"PK\x03\x04"


def read_xml(content: bytes) -> Reading:
    """The questions of a Moodle quiz, a QTI item or a QTI package."""
    if content.startswith(ZIP):
        return qti.read_package(content)
    try:
        root = qti.normalize(parse_xml(content))
        readers = {"quiz": moodle.read_moodle, "assessmentitem": qti.read_item}
        if root.tag == "questestinterop":
            raise BadXML(_("This is QTI 1.2. Export the questions as QTI 2.1, QTI 3.0 or Moodle XML."))
        if root.tag not in readers:
            raise BadXML(_("This XML file is neither a Moodle quiz nor a QTI item. Pack QTI tests as a ZIP file."))
    except BadXML as error:
        reading = Reading()
        reading.problems.add(0, "", str(error))
        return reading
    return readers[root.tag](root)
