#!/usr/bin/python3 -B
"""otlp.py FOLDER: decodes FOLDER/otlp by the fields of OpenTelemetry's profiles.proto (v1development, 1.10) and holds it to
FOLDER/folded, the same profile as collapsed stacks, and to FOLDER/info. A field that the protocol does not have, or has with
another type, is an error; so is what its comments say must not be."""

import json
import re
import struct
import sys

# Of each message: field number -> name, type; "*" is repeated.
MESSAGES = {
    "ProfilesData": {1: ("resource_profiles", "*ResourceProfiles"), 2: ("dictionary", "ProfilesDictionary")},
    "ProfilesDictionary": {1: ("mapping_table", "*Mapping"), 2: ("location_table", "*Location"), 3: ("function_table", "*Function"),
                           4: ("link_table", "*Link"), 5: ("string_table", "*string"), 6: ("attribute_table", "*KeyValueAndUnit"), 7: ("stack_table", "*Stack")},
    "ResourceProfiles": {1: ("resource", "Resource"), 2: ("scope_profiles", "*ScopeProfiles"), 3: ("schema_url", "string")},
    "Resource": {1: ("attributes", "*KeyValue"), 2: ("dropped_attributes_count", "int")},
    "ScopeProfiles": {1: ("scope", "InstrumentationScope"), 2: ("profiles", "*Profile"), 3: ("schema_url", "string")},
    "InstrumentationScope": {1: ("name", "string"), 2: ("version", "string"), 3: ("attributes", "*KeyValue"), 4: ("dropped_attributes_count", "int")},
    "Profile": {1: ("sample_type", "ValueType"), 2: ("samples", "*Sample"), 3: ("time_unix_nano", "fixed"), 4: ("duration_nano", "int"),
                5: ("period_type", "ValueType"), 6: ("period", "int"), 7: ("profile_id", "bytes"), 8: ("dropped_attributes_count", "int"),
                9: ("original_payload_format", "string"), 10: ("original_payload", "bytes"), 11: ("attribute_indices", "*int")},
    "Link": {1: ("trace_id", "bytes"), 2: ("span_id", "bytes")},
    "ValueType": {1: ("type_strindex", "int"), 2: ("unit_strindex", "int")},
    "Sample": {1: ("stack_index", "int"), 2: ("attribute_indices", "*int"), 3: ("link_index", "int"), 4: ("values", "*int"), 5: ("timestamps_unix_nano", "*fixed")},
    "Mapping": {1: ("memory_start", "int"), 2: ("memory_limit", "int"), 3: ("file_offset", "int"), 4: ("filename_strindex", "int"), 5: ("attribute_indices", "*int")},
    "Stack": {1: ("location_indices", "*int")},
    "Location": {1: ("mapping_index", "int"), 2: ("address", "int"), 3: ("lines", "*Line"), 4: ("attribute_indices", "*int")},
    "Line": {1: ("function_index", "int"), 2: ("line", "int"), 3: ("column", "int")},
    "Function": {1: ("name_strindex", "int"), 2: ("system_name_strindex", "int"), 3: ("filename_strindex", "int"), 4: ("start_line", "int")},
    "KeyValueAndUnit": {1: ("key_strindex", "int"), 2: ("value", "AnyValue"), 3: ("unit_strindex", "int")},
    "KeyValue": {1: ("key", "string"), 2: ("value", "AnyValue")},
    "AnyValue": {1: ("string_value", "string"), 2: ("bool_value", "int"), 3: ("int_value", "int"), 4: ("double_value", "fixed"), 7: ("bytes_value", "bytes")},
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def one(data, kind, wire, at):
    """A value of that type, and where it ends."""
    if kind == "fixed":
        assert wire == 1, (kind, wire)
        return struct.unpack_from("<Q", data, at)[0], at + 8
    if kind == "int":
        assert wire == 0, (kind, wire)
        return varint(data, at)
    assert wire == 2, (kind, wire)
    n, at = varint(data, at)
    part = data[at:at + n]
    assert len(part) == n
    return (part.decode() if kind == "string" else part if kind == "bytes" else decode(part, kind)), at + n


def decode(data, message):
    found = {name: [] for name, kind in MESSAGES[message].values() if kind[0] == "*"}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        name, kind = MESSAGES[message][tag >> 3]
        if kind == "*int" and tag & 7 == 2:
            n, at = varint(data, at)
            end = at + n
            while at < end:
                value, at = varint(data, at)
                found[name].append(value)
            assert at == end
        else:
            value, at = one(data, kind.lstrip("*"), tag & 7, at)
            if kind[0] == "*":
                found[name].append(value)
            else:
                assert name not in found, f"{message}.{name} twice"
                found[name] = value
    return found


def main():
    folder = sys.argv[1]
    data = decode(open(f"{folder}/otlp", "rb").read(), "ProfilesData")
    tables = data["dictionary"]
    for name, table in tables.items():
        empty = table[0] == "" if name == "string_table" else not any(table[0].values())
        assert empty, f"{name}[0] is {table[0]}"
        keys = [json.dumps(entry, sort_keys=True, default=str) for entry in table]
        assert len(set(keys)) == len(keys), f"{name} has entries twice"
    strings = tables["string_table"]
    (resource,) = data["resource_profiles"]
    (scope,) = resource["scope_profiles"]
    (profile,) = scope["profiles"]
    assert scope["scope"]["name"] == "gait"
    info = json.load(open(f"{folder}/info"))
    facts = {pair["key"]: pair["value"]["string_value"] for pair in resource["resource"]["attributes"]}
    assert facts["process.command_line"] == info["command"] and facts["host.name"], facts
    kind = [strings[profile["sample_type"][key]] for key in ("type_strindex", "unit_strindex")]
    assert kind in (["cpu", "nanoseconds"], ["instructions", "count"]), kind
    assert profile["time_unix_nano"] > 10**18

    def attributes(indices):
        pairs = [tables["attribute_table"][i] for i in indices]
        return {strings[pair["key_strindex"]]: next(iter(pair["value"].values())) for pair in pairs}

    ids = {attributes(mapping["attribute_indices"]).get("process.executable.build_id.gnu") for mapping in tables["mapping_table"][1:]}
    assert ids - {None} and all(re.fullmatch("[0-9a-f]{8,40}", build) for build in ids - {None}), ids

    found = {}
    for sample in profile["samples"]:
        (value,) = sample["values"]
        names = []
        for index in tables["stack_table"][sample["stack_index"]]["location_indices"]:
            location = tables["location_table"][index]
            assert tables["mapping_table"][location["mapping_index"]]["filename_strindex"]
            names += [strings[tables["function_table"][line["function_index"]]["name_strindex"]] for line in location["lines"]]
        thread = attributes(sample["attribute_indices"])
        assert set(thread) in (set(), {"thread.name", "thread.id", "process.pid"}), thread
        line = ";".join(name.replace(";", ":") for name in [thread.get("thread.name", "")] + names[::-1])
        found[line] = found.get(line, 0) + value
    expected = {}
    for text in open(f"{folder}/folded"):
        stack, value = text.rstrip("\n").rsplit(" ", 1)
        frames = [re.sub(r"_\[[kj]\]$", "", frame) for frame in stack.split(";")]
        if not any(sample["attribute_indices"] for sample in profile["samples"]):
            frames[0] = ""  # no thread is known: the collapsed stack begins with the program's name
        line = ";".join(frames)
        expected[line] = expected.get(line, 0) + int(value)
    assert found == expected, [set(found.items()) ^ set(expected.items())][:3]


main()
