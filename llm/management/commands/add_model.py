import os
from decimal import Decimal, InvalidOperation
from pathlib import Path

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from llm.addresses import SCHEME, may_download
from llm.command_line import add_option_arguments, read_options
from llm.services.endpoints import PATIENCE_SECONDS, add_endpoint


class Command(BaseCommand):
    help = "Adds a model endpoint. Its key is read from an environment variable, never from the command line."

    def add_arguments(self, parser):
        parser.add_argument("name", metavar="NAME", help="how it is called in lists and commands")
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--base-url", metavar="U", help="such as https://api.openai.com/v1")
        where.add_argument(
            "--transformers", metavar="FOLDER", help="a model saved by transformers, which workers load themselves"
        )
        parser.add_argument(
            "--model", metavar="M", help="the model's name, as the server knows it; of a folder by default the folder's"
        )
        parser.add_argument("--key-env", metavar="VAR", help="the environment variable that holds the key")
        parser.add_argument("--price-in", metavar="P", type=parse_price, help="for a million input tokens")
        parser.add_argument("--price-out", metavar="P", type=parse_price, help="for a million output tokens")
        parser.add_argument("--currency", metavar="C", default="USD", help="three letters; default: USD")
        parser.add_argument("--at-a-time", metavar="N", type=int, default=8, help="calls at a time; default: 8")
        add_option_arguments(parser)
        parser.add_argument("--requests-per-minute", metavar="N", type=int, help="for all workers; default: no limit")
        parser.add_argument("--tokens-per-minute", metavar="N", type=int, help="for all workers; default: no limit")

    def handle(
        self, *, name, base_url, transformers, model, key_env, price_in, price_out, currency, at_a_time, **options
    ):
        if (price_in is None) != (price_out is None):
            raise CommandError("No model was added. Give both prices, or neither.")
        if transformers:
            base_url, model = SCHEME + resolve_folder(transformers), model or Path(transformers).name
        if not model:
            raise CommandError("No model was added. Say with --model which one of the server's it is.")
        fields = {"name": name, "base_url": base_url, "model": model, "currency": currency.upper()}
        fields |= {"price_in": price_in, "price_out": price_out, "max_concurrency": at_a_time}
        fields |= {limit: options[limit] for limit in ("requests_per_minute", "tokens_per_minute")}
        given = read_options(options)
        fields |= {"max_tokens": given.max_tokens, "reasoning_effort": given.reasoning_effort, "extra": given.extra}
        if transformers:
            fields["timeout_seconds"] = PATIENCE_SECONDS
        try:
            endpoint = add_endpoint(key=read_key(key_env), **fields)
        except ValidationError as error:
            sentences = (f"{field}: {' '.join(messages)}" for field, messages in error.message_dict.items())
            raise CommandError("No model was added. " + " ".join(sentences)) from None
        self.stdout.write(f"Model {endpoint.name} is added; a worker tests it as soon as one listens.")


def resolve_folder(where: str) -> str:
    """Resolve a folder relative to the current one; a name that may be downloaded stays unchanged."""
    return where if may_download(where) else str(Path(where).expanduser().absolute())


def read_key(variable: str | None) -> str:
    if variable is None:
        return ""
    key = os.environ.get(variable, "")
    if not key:
        raise CommandError(f"No model was added. The environment variable {variable} is not set or empty.")
    return key


def parse_price(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise ValueError from None
    if not value.is_finite() or value < 0:
        raise ValueError
    return value
