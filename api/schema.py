"""The OpenAPI document: how tokens are described, and the names of operations."""

import re
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema


class Schema(AutoSchema):
    def get_operation_id(self) -> str:
        """Method and address in words: get_studies_one_results."""
        words = re.sub(r"\{\w+\}", "one", self.path.removeprefix("/api/v1/"))
        return "_".join([self.method.lower(), *re.findall(r"\w+", words)])


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token of your account page."}
