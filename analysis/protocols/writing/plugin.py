"""The plug-in of studies in which people write items."""

from analysis.plugins import Pages, ProtocolPlugin, call_later

HERE = "analysis.protocols.writing"

PLUGIN = ProtocolPlugin(
    "writing",
    report=call_later(f"{HERE}.report.build_report"),
    tables=call_later(f"{HERE}.report.list_tables"),
    summary=call_later(f"{HERE}.report.summarize"),
    agreed=lambda report: [],
    pages=Pages(
        agreement=(),
        items=("written_items",),
        compare=(),
    ),
)
