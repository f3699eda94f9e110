"""What the answers say: frames, measures, reports, dashboards and exports."""
