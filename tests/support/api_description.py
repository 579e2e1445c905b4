# SPDX-License-Identifier: Apache-2.0
"""openapi.json as what answers are held against, and what tests of the API share."""
import unittest

try:
    from jsonschema import Draft202012Validator
except ImportError:
    Draft202012Validator = None

API = "/api/v1/"


def need_validator():
    if not Draft202012Validator:
        raise unittest.SkipTest("python3-jsonschema is not installed")


def stream_line(answer):
    """The next line of a stream, without its end."""
    text = b""
    while not text.endswith(b"\n"):
        byte = answer.read(1)
        if not byte:
            raise AssertionError(f"the stream has ended with {text}")
        text += byte
    return text.decode().rstrip("\n")


class Description:
    """openapi.json, and which of its fields and refusals have been seen."""

    def __init__(self, document):
        self.document = document
        self.schemas = document["components"]["schemas"]
        self.seen = set()
        self.refusals_seen = set()

    def operations(self):
        return {(method.upper(), path) for path, methods in self.document["paths"].items()
                for method in methods}

    def answer(self, method, path, status=200):
        """The content that is described: {Content-Type: schema}."""
        responses = self.document["paths"][path][method.lower()]["responses"]
        found = responses[str(status)]
        if "$ref" in found:
            name = found["$ref"].rsplit("/", 1)[1]
            self.refusals_seen.add(name)
            found = self.document["components"]["responses"][name]
        return {kind: content["schema"] for kind, content in found.get("content", {}).items()}

    def header(self, method, path, status):
        """The header that an answer of this status is described to have; None."""
        found = self.document["paths"][path][method.lower()]["responses"][str(status)]
        name = found.get("$ref", "").rsplit("/", 1)[-1]
        return next(iter(self.document["components"]["responses"].get(name, {}).get("headers", {})),
                    None)

    def request(self, method, path):
        """The schema of a request's body."""
        body = self.document["paths"][path][method.lower()]["requestBody"]
        return body["content"]["application/json"]["schema"]

    def check(self, schema, value):
        whole = {**schema, "components": self.document["components"]}
        errors = [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
                  for error in Draft202012Validator(whole).iter_errors(value)]
        self.see(schema, value, "")
        return errors

    def see(self, schema, value, name):
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            schema = self.schemas[name]
        for one in schema.get("anyOf", []):
            if Draft202012Validator({**one, "components": self.document["components"]}).is_valid(value):
                self.see(one, value, name)
        if isinstance(value, list):
            for one in value:
                self.see(schema.get("items", {}), one, name)
        if isinstance(value, dict):
            more = schema.get("additionalProperties")
            for key, one in value.items():
                if key in schema.get("properties", {}):
                    self.seen.add(f"{name}.{key}")
                    self.see(schema["properties"][key], one, f"{name}.{key}")
                elif isinstance(more, dict):
                    self.see(more, one, f"{name}.*")

    def fields(self):
        """Each field that is described, as Schema.field.field."""
        def of(schema, name):
            for key, inner in schema.get("properties", {}).items():
                yield f"{name}.{key}"
                yield from of(inner, f"{name}.{key}")
            for inner, more in (("items", ""), ("additionalProperties", ".*")):
                if isinstance(schema.get(inner), dict):
                    yield from of(schema[inner], name + more)
        return {field for name, schema in self.schemas.items() for field in of(schema, name)}
