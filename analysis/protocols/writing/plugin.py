"""What a study says in which people write items."""

from analysis.plugins import ProtocolPlugin, call_later

HERE = "analysis.protocols.writing"

PLUGIN = ProtocolPlugin(
    "writing",
    report=call_later(f"{HERE}.report.build_report"),
    tables=call_later(f"{HERE}.drill_down.list_tables"),
)
