"""From a study's row to what its protocol declares."""

from studies.models import Study
from studies.protocols import PROTOCOLS, Declaration


def declaration_of(study: Study) -> Declaration:
    """The protocol of the study with its frozen parameters and wording."""
    protocol = PROTOCOLS[study.protocol]
    return protocol.declare(protocol.fill(study.params), study.instrument_version.content)
