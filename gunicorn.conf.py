"""Settings that gunicorn reads by itself from its working folder: its log lines have the format of all others."""

from gunicorn.glogging import Logger


class LineLogger(Logger):
    def setup(self, cfg):
        super().setup(cfg)
        # Imported here, because earlier the working folder is not on Python's path.
        from config import env, logs

        is_json = env.read_choice("LESART_LOG_FORMAT", ("text", "json")) == "json"
        for handler in self.error_log.handlers:
            handler.setFormatter(logs.JsonLineFormatter() if is_json else logs.TextFormatter())
            handler.addFilter(logs.AddRequestId())
            handler.addFilter(logs.SummarizeOutages())


logger_class = LineLogger
limit_request_line = 8190  # as many bytes as gunicorn allows: Lesart says itself what is wrong with a long address
