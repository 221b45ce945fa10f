"""The OpenAPI 3.1 document, derived from the declarations."""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any, get_args, get_type_hints

import msgspec
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core.core_schema import WithDefaultSchema

from trackyard.base.error_codes import ErrorCode
from trackyard.domain.people.roles import Role, roles_with
from trackyard.wire.endpoint import Endpoint, Topic
from trackyard.wire.http.idempotency import IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER
from trackyard.wire.openapi.errors import CODES, ERRORS, code_schema
from trackyard.wire.openapi.files import file_content, file_text
from trackyard.wire.openapi.texts import NO_TEXTS, Texts
from trackyard.wire.request.params import Deprecated, Field, Only, Params, RequiredFor, fields_of
from trackyard.wire.request.scalars import FileUpload
from trackyard.wire.response.envelope import sent_type
from trackyard.wire.response.errors import ErrorBody

Schema = dict[str, Any]

REFS = "#/components/schemas/{name}"

_PUBLISHER = {
    "contact": {"name": "The network that runs this installation"},
    "license": {"name": "MIT", "identifier": "MIT"},
}
"""The contact and the licence."""
_AUDIENCES = {
    "any": "affiliates and staff",
    "affiliate": "affiliates only",
    "advertiser": "advertisers only",
    "company": "affiliates and advertisers",
}


def document(
    endpoints: Iterable[Endpoint[Any]],
    *,
    version: str,
    servers: Iterable[str] = ("/",),
    topics: Iterable[Topic] | None = None,
    texts: Texts = NO_TEXTS,
) -> Schema:
    """Return the document of a catalogue.

    version: the version of the program.
    servers: the addresses of the API.
    topics: the tags of the methods; None = one for all.
    texts: the texts of parameters and answer fields.
    """
    listed = tuple(endpoints)
    tags = (Topic("methods", "Methods", listed),) if topics is None else tuple(topics)
    tag_of = {endpoint.id: topic.name for topic in tags for endpoint in topic.endpoints}
    answers, components = _answers_and_components(listed, texts)
    paths: dict[str, Schema] = {}
    for endpoint in listed:
        views = [next(answers) for _ in sent_views(endpoint)]
        answer = views[0] if len(views) == 1 else {"anyOf": views}
        for prefix in endpoint.versions:
            paths.setdefault(f"/{prefix}{endpoint.path}", {})[endpoint.method.lower()] = _operation(
                endpoint, prefix, answer, tag_of[endpoint.id], texts
            )
    return {
        "openapi": "3.1.0",
        "info": {"title": "Trackyard API", "version": version, "description": INTRODUCTION} | _PUBLISHER,
        "servers": [{"url": url} for url in servers],
        "security": [{"header": []}, {"query": []}],
        "tags": [{"name": topic.name, "description": topic.title} for topic in tags],
        "paths": paths,
        "components": {
            "schemas": components,
            "responses": {code: _error(code, text) for code, text in ERRORS.items()},
            "headers": {name: {"description": text, "schema": {"type": "string"}} for name, text in _HEADERS.items()},
            "securitySchemes": {
                "header": {"type": "apiKey", "in": "header", "name": "API-Key"},
                "query": {"type": "apiKey", "in": "query", "name": "API-Key"},
            },
        },
    }


def _answers_and_components(
    listed: Iterable[Endpoint[Any]], texts: Texts
) -> tuple[Iterator[Schema], dict[str, Schema]]:
    """Return the schema of each view of the endpoints, and the schemas to which they and parameters refer."""
    views = [view for endpoint in listed for view in sent_views(endpoint)] + [ErrorBody]
    answers, answered = msgspec.json.schema_components(views, ref_template=REFS)
    names = {name: _short_name(name) for name in answered}
    models = sorted({each.params for each in listed if fields_of(each.params)}, key=lambda model: model.__name__)
    components = {names[name]: _as_answered(_sent(each), names) for name, each in answered.items()}
    for view in each_view(views):
        _describe(components[view.__name__], view, texts)
    components |= _parameter_schemas(models, texts)
    components |= {_without_files_name(model): _without_files(components, model) for model in models if _files(model)}
    components |= {ErrorCode.__name__: CODES}
    fields = components[ErrorBody.__name__]["properties"]
    fields["code"] = code_schema(fields["code"], REFS)
    components = {name: schema | {"title": name} for name, schema in components.items()}
    return iter(_as_answered(answers, names)), components


def each_view(answers: Iterable[Any]) -> Iterator[type[Any]]:
    """Yield each class of records in these types of answers, once."""
    waiting: list[Any] = list(answers)
    found: set[Any] = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, type) and part not in found and hasattr(part, "__struct_fields__"):
            found.add(part)
            yield part
            waiting += get_type_hints(part).values()
        waiting += get_args(part)


def _describe(schema: Schema, view: type[Any], texts: Texts) -> None:
    """Add the meanings of its fields to the schema of a view."""
    for name, field in schema.get("properties", {}).items():
        if text := texts.text_of(view, name):
            field["description"] = text


def _sent(answer: Schema) -> Schema:
    """Return the schema of an answer in which every field with a default is required."""
    properties: dict[str, Schema] = answer.get("properties", {})
    always = [name for name, field in properties.items() if name in answer.get("required", ()) or "default" in field]
    bare = {
        name: {key: value for key, value in field.items() if key != "default"} for name, field in properties.items()
    }
    return answer | ({"properties": bare, "required": always} if properties else {})


def document_of_version(whole: Schema, prefix: str) -> Schema:
    """Return the document of one version, made from the whole one.

    Operation ids have no version, so that the names in a generated client stay when the version changes.
    """
    paths = {
        path: {
            method: each | {"operationId": re.sub(r"_[0-9]+_[0-9]+$", "", each["operationId"])}
            for method, each in item.items()
        }
        for path, item in whole["paths"].items()
        if path.startswith(f"/{prefix}/")
    }
    used = {operation["tags"][0] for item in paths.values() for operation in item.values()}
    info = whole["info"] | {"title": f"{whole['info']['title']} {prefix}"}
    components = whole["components"]
    return whole | {
        "info": info,
        "tags": [tag for tag in whole["tags"] if tag["name"] in used],
        "paths": paths,
        "components": components | {"schemas": _referenced(components, paths)},
    }


def _referenced(components: Schema, paths: Schema) -> Schema:
    """Return the schemas that paths and the other components refer to, directly or not."""
    schemas = components["schemas"]
    waiting = [paths, *(part for name, part in components.items() if name != "schemas")]
    found: set[str] = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            name = str(part.get("$ref", "")).removeprefix(REFS.format(name=""))
            if name in schemas and name not in found:
                found.add(name)
                waiting.append(schemas[name])
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return {name: schema for name, schema in schemas.items() if name in found}


def each_parameter(model: type[Params], prefix: str = "", *, above: Field | None = None) -> Iterator[tuple[str, Field]]:
    """Yield every parameter of a model by its full wire name, `[*]` for an index or map key.

    A nested parameter has the `Only` of the outer one.
    above: the parameter that holds the model.
    """
    for own in fields_of(model):
        field = own if above is None else own.within(above)
        name = f"{prefix}[{field.name}]" if prefix else field.name
        inner = name + "[*]" * len(field.forms)
        if field.model is not None:
            yield from each_parameter(field.model, inner, above=field)
        elif field.form == "keyed" or len(field.forms) > 1 or (field.listed and field.form == "seq"):
            yield inner, field
        else:
            yield name, field


def _short_name(name: str) -> str:
    """Return the name of a schema, with the module where classes share a name: `TicketsMessageAnswer`."""
    *_, module, own = ["", *name.split(".")]
    return "".join(word.title() for word in module.split("_")) + own


def _as_answered(schema: Any, names: dict[str, str]) -> Any:
    """Return a schema of msgspec with short names and with amounts as JSON numbers.

    msgspec describes a Decimal as text, its default form.
    """
    if isinstance(schema, list | tuple):
        return [_as_answered(inner, names) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("format") == "decimal":
        return {"type": "number"}
    renamed = {name: _as_answered(inner, names) for name, inner in schema.items()}
    if isinstance(schema.get("$ref"), str):
        renamed["$ref"] = REFS.format(name=names[schema["$ref"].removeprefix(REFS.format(name=""))])
    return renamed


def sent_views(endpoint: Endpoint[Any]) -> list[Any]:
    """Return the types of the answers of a method: of staff, then of affiliates where they differ."""
    views = [endpoint.answer] if endpoint.affiliate_answer is None else [endpoint.answer, endpoint.affiliate_answer]
    return [sent_type(view) for view in views]


def _first_sentence(text: str) -> tuple[str, str]:
    """Return the first sentence of a text, in one line, and the rest."""
    first, _, rest = text.partition("\n\n")
    sentence, *more = re.split(r"(?<=\.)\s+(?=[A-Z`])", first, maxsplit=1)
    return " ".join(sentence.split()), "\n\n".join(part for part in (*more, rest.strip()) if part)


def _operation(endpoint: Endpoint[Any], prefix: str, answer: Schema, tag: str, texts: Texts) -> Schema:
    summary, more = _first_sentence(endpoint.text)
    parts = (more, file_text(endpoint), _groups_text(endpoint, texts), _callers_text(endpoint))
    operation: Schema = {
        "operationId": re.sub(r"[^A-Za-z0-9]", "_", f"{endpoint.id}@{prefix}"),
        "tags": [tag],
        "summary": summary.rstrip("."),
        "description": "\n\n".join(part for part in parts if part),
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            | _described(texts.path_text(endpoint.handle, name))
            for name in endpoint.variables
        ],
        "x-method-id": endpoint.id,
        "x-permission": str(endpoint.permission),
        "x-callers": _callers(endpoint),
        "responses": {
            "200": {
                "description": "Success",
                "headers": _headers("X-Ignored-Parameters", *([REPLAYED_HEADER] if endpoint.replayable else ())),
                "content": {"application/json": {"schema": answer}} | file_content(endpoint),
            },
            **{code: {"$ref": f"#/components/responses/{code}"} for code in ERRORS},
        },
    }
    if endpoint.audience == "anyone":
        operation["security"] = []
    if endpoint.replayable:
        operation["parameters"].append(_REPEAT_KEY)
    if endpoint.method == "POST" and fields_of(endpoint.params):
        operation["requestBody"] = {"content": _bodies(endpoint.params)}
    else:
        listed = each_parameter(endpoint.params)
        operation["parameters"] += [_query_parameter(name, field, texts) for name, field in listed]
    return operation


def _groups_text(endpoint: Endpoint[Any], texts: Texts) -> str:
    """Return the texts of parameters that are groups, which a query has no place for."""
    groups = [field for field in fields_of(endpoint.params) if field.model is not None and endpoint.method != "POST"]
    named = ((field.name, _meaning(field, texts)) for field in groups)
    return "\n\n".join(f"`{name}`: {meaning}" for name, meaning in named if meaning)


def _bodies(model: type[Params]) -> Schema:
    """Return the forms of a body. Only a multipart body carries files, each of one of its types."""
    files = _files(model)
    multipart: Schema = {"schema": {"$ref": REFS.format(name=model.__name__)}}
    if files:
        multipart["encoding"] = {name: {"contentType": ", ".join(kinds)} for name, kinds in files.items()}
    schema = {"$ref": REFS.format(name=_without_files_name(model) if files else model.__name__)}
    text = {kind: {"schema": schema} for kind in ("application/x-www-form-urlencoded", "application/json")}
    return text | {"multipart/form-data": multipart}


def _files(model: type[Params]) -> dict[str, tuple[str, ...]]:
    """Return the parameters of a model that are files, with their media types."""
    return {field.name: field.scalar.kinds for field in fields_of(model) if isinstance(field.scalar, FileUpload)}


def _without_files_name(model: type[Params]) -> str:
    return f"{model.__name__}WithoutFiles"


def _without_files(schemas: Schema, model: type[Params]) -> Schema:
    """Return the schema of a model in a body that carries no files."""
    whole, files = schemas[model.__name__], _files(model)
    properties = {name: each for name, each in whole["properties"].items() if name not in files}
    required = [name for name in whole.get("required", ()) if name not in files]
    kept: Schema = whole | {"properties": properties} | ({"required": required} if required else {})
    return kept


def _callers(endpoint: Endpoint[Any]) -> str:
    """Return the kinds of callers in one word; "company" is an affiliate or an advertiser."""
    return "company" if endpoint.audience == "affiliate" and endpoint.advertisers else endpoint.audience


def _callers_text(endpoint: Endpoint[Any]) -> str:
    callers = _callers(endpoint)
    if callers == "anyone":
        return "Callers: anyone, no key is needed."
    if callers in ("affiliate", "advertiser", "company"):
        return f"Callers: {_AUDIENCES[callers]}.{_features(endpoint)}"
    having = roles_with(endpoint.permission)
    names = ", ".join(role.value for role in having)
    roles = "every role gives" if set(having) == set(Role) else f"these roles give: {names}"
    callers = _AUDIENCES.get(endpoint.audience, "staff")
    callers = "affiliates, advertisers and staff" if endpoint.advertisers else callers
    needed = f"Staff need the permission `{endpoint.permission}`, which {roles}."
    return f"Callers: {callers}. {needed}{_features(endpoint)}"


def _features(endpoint: Endpoint[Any]) -> str:
    named = " and ".join(f"`{feature}`" for feature in endpoint.features)
    text = f" An affiliate must not be denied {named}." if named else ""
    return text + "".join(f" For a file it must not be denied `{feature}`." for feature in endpoint.file_features)


def _described(text: str) -> Schema:
    return {"description": text} if text else {}


def _query_parameter(name: str, field: Field, texts: Texts) -> Schema:
    assert field.scalar is not None
    schema: Schema = dict(field.scalar.schema())
    many = field.form in ("seq", "any", "comma") and not name.endswith("[*]")
    if many:
        schema = {"type": "array", "items": schema}
    keyed = field.form == "keyed" and name.count("[*]") == 1 and name.endswith("[*]")
    if keyed:
        name, schema = name.removesuffix("[*]"), {"type": "object", "additionalProperties": schema}
    if field.default not in (None, (), {}) and not field.required:
        schema["default"] = _as_sent(field.default, schema)
    out: Schema = {"name": name.replace("[*]", "[0]"), "in": "query", "schema": schema}
    out["required"] = field.required
    if many:
        out |= {"style": "form", "explode": field.form != "comma"}
    elif keyed:
        out |= {"style": "deepObject", "explode": True}
    out |= _described(_meaning(field, texts)) | texts.form_keys(field.owner, field.name)
    if any(isinstance(marker, Deprecated) for marker in field.markers):
        out["deprecated"] = True
    return out


def _meaning(field: Field, texts: Texts) -> str:
    """Return the text of a parameter, and what its declaration adds."""
    text = texts.text_of(field.owner, field.name)
    spelled = (f"Programs may also name it `{name}`." for name in field.spellings)
    return " ".join(part for part in (text, *_notes(field), *spelled) if part)


def _notes(field: Field) -> Iterator[str]:
    for marker in field.markers:
        if isinstance(marker, Only):
            if marker.admin:
                yield "Staff only."
            if marker.since:
                yield f"Documented since {marker.since}."
            if marker.until:
                yield f"Documented up to {marker.until}."
        elif isinstance(marker, Deprecated):
            yield f"Use {marker.use}."
        elif isinstance(marker, RequiredFor):
            if marker.staff:
                yield "Required of staff."
            if marker.since:
                yield f"Required since {marker.since}."


def _as_sent(value: Any, schema: Schema) -> Any:
    """Return a default in the form in which it is sent."""
    if isinstance(value, list | tuple):
        return type(value)(_as_sent(item, {}) for item in value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bool):
        return int(value) if schema.get("type") == "integer" else str(value).lower()
    return int(value) if isinstance(value, Decimal) and value == int(value) else value


def _parameter_schemas(models: Sequence[type[Params]], texts: Texts) -> Schema:
    mode: JsonSchemaMode = "validation"
    inputs = [(model, mode, model.__pydantic_core_schema__) for model in models]
    generator = _Schemas(by_alias=True, ref_template="#/components/schemas/{model}")
    schemas: Schema = {str(name): schema for name, schema in generator.generate_definitions(inputs)[1].items()}
    for model in _with_nested(models):
        for field in fields_of(model):
            if model.__name__ not in schemas:
                continue
            schema = schemas[model.__name__]["properties"][field.name]
            schema |= _described(_meaning(field, texts)) | texts.form_keys(model, field.name)
            if model.edits:
                schema.pop("default", None)
    return schemas


def _with_nested(models: Iterable[type[Params]]) -> Iterator[type[Params]]:
    for model in models:
        yield model
        yield from _with_nested(field.model for field in fields_of(model) if field.model is not None)


class _Schemas(GenerateJsonSchema):
    """Shows defaults as they are sent, and no default of None, which means not sent."""

    def default_schema(self, schema: WithDefaultSchema) -> Schema:
        described = super().default_schema(schema)
        if described.get("default", "") is None:
            del described["default"]
        elif "default" in described:
            described["default"] = _as_sent(described["default"], described)
        return described

    def encode_default(self, dft: Any) -> Any:
        return list(dft) if isinstance(dft, tuple) else dft


def _error(code: str, text: str) -> Schema:
    schema = {"$ref": REFS.format(name=ErrorBody.__name__)}
    more = ("Retry-After",) if code in ("429", "503") else ()
    return {"description": text, "headers": _headers(*more), "content": {"application/json": {"schema": schema}}}


def _headers(*names: str) -> Schema:
    """Return the headers of an answer; every answer has the headers of rate limits."""
    every = (name for name in _HEADERS if name.startswith("X-RateLimit"))
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*every, *names)}


_HEADERS = {
    "X-RateLimit-Limit": "Requests that the key may make at once after a pause",
    "X-RateLimit-Remaining": "Requests that the key may make at once now",
    "X-RateLimit-Reset": "Seconds until the key may make as many requests as the limit says",
    "Retry-After": "Seconds until a request may succeed",
    "X-Ignored-Parameters": "Names of the parameters that were not used, a comma list",
    REPLAYED_HEADER: "`true` when the answer was given before, to the first request with this Idempotency-Key",
}
_REPEAT_KEY = {
    "name": IDEMPOTENCY_KEY_HEADER,
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    "description": "A request that succeeded and is sent again with the same key and parameters within 24 hours has no "
    "second effect and gets the first answer.",
}

INTRODUCTION = (
    "Every path answers under /3.0 and /3.1. Parameters are read from the query, forms and JSON bodies, "
    "the body over the query. Lists come as `k=v`, `k[]=v`, `k[0]=v` or a JSON list; nested values as `a[b]=v`. "
    "Unknown parameters are ignored and named in the header X-Ignored-Parameters; a GET names them in `warnings` of "
    "its answer. Requests are counted by key: the "
    "headers X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset of every answer show the rest, and 429 has "
    "the header Retry-After. A write with an Idempotency-Key may be sent again: within 24 hours it takes effect once, "
    "and each repeat gets the first answer."
)
