// Parses request bodies of any encoding to values for typed decoding, with the duplicate fields that were found. The caller checks the kind
// and the fields.
import { parseGroupVersion } from '../api/object.ts'
import { isMap, own } from '../api/value.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { typeOf } from '../schema/decode-scalars.ts'
import type { SourceValue } from '../schema/exact-value.ts'
import type { KindSchema } from '../schema/table.ts'
import { CborError, parseCbor } from './cbor-decode.ts'
import type { Encoding } from './codec.ts'
import { OPEN_MAP } from './json-bytes.ts'
import { JsonSyntaxError } from './json-exact.ts'
import { parseJsonDocument } from './json-parse.ts'
import { ProtobufError } from '../wire/protobuf-error.ts'
import { decodeProtobuf, decodeRaw } from './protobuf.ts'
import { MAX_VALUES } from './value-limit.ts'
import { YamlError } from './yaml-faults.ts'
import { parseYaml } from './yaml-parse.ts'

export interface SourceDocument {
  readonly value: Value
  readonly source: SourceValue
  /** The texts about repeated members: `duplicate field "spec.paused"`. */
  readonly problems: readonly string[]
}

const YAML_PROBLEMS = 'yaml: unmarshal errors:\n'

/** The warnings for a problem. A problem that YAML reports in several lines becomes a warning for each line. */
export function warningsOf(problem: string): readonly string[] {
  if (!problem.startsWith(YAML_PROBLEMS)) return [problem]
  return problem
    .slice(YAML_PROBLEMS.length)
    .split('\n')
    .map((line) => line.trim())
}

/** The bytes do not fit their encoding. The message is the reference's. */
export class BodySyntaxError extends Error {
  override readonly name = 'BodySyntaxError'
}

/** Parses a body. A protobuf body is decoded as an object of `kind`. Throws `BodySyntaxError`. */
export function readDocument(bytes: Buffer, encoding: Encoding, kind: KindSchema): SourceDocument {
  switch (encoding) {
    case 'json':
      return readJson(bytes)
    case 'protobuf':
      return readProtobuf(bytes, kind)
    case 'yaml':
      return readYaml(bytes)
    case 'cbor':
      return readCbor(bytes)
  }
}

function readJson(bytes: Buffer): SourceDocument {
  try {
    const { value, source } = parseJsonDocument(bytes, MAX_VALUES)
    checkTypeNames(value)
    return { value, source, problems: [] }
  } catch (error) {
    throw asBodyError(error, JsonSyntaxError, NO_TYPE)
  }
}

/** The error that clients see instead of the error of a parser. Any other error is returned itself. */
function asBodyError(error: unknown, type: abstract new (...args: never[]) => Error, prefix = ''): unknown {
  return error instanceof type ? new BodySyntaxError(prefix + error.message) : error
}

const NO_TYPE = "couldn't get version/kind; json parse error: "

const TYPE_NAMES =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/**
 * Checks the kind and version of an object before other members are read. `null` counts as an object without kind and version. Throws
 * `BodySyntaxError`.
 */
export function checkTypeNames(value: Value): void {
  if (value === null) return
  const fail = (found: Value, target: string): never => {
    const problem = `json: cannot unmarshal ${typeOf(found)} into Go ${target}`
    throw new BodySyntaxError(NO_TYPE + problem)
  }
  if (!isMap(value)) return fail(value, `value of type ${TYPE_NAMES}`)
  for (const name of ['apiVersion', 'kind']) {
    const member = own(value, name) ?? ''
    if (typeof member !== 'string') fail(member, `struct field .${name} of type string`)
  }
  const apiVersion = own(value, 'apiVersion') ?? ''
  if (typeof apiVersion === 'string' && parseGroupVersion(apiVersion) === undefined) {
    throw new BodySyntaxError(`unexpected GroupVersion string: ${apiVersion}`)
  }
}

function readYaml(bytes: Buffer): SourceDocument {
  try {
    const { value, duplicates } = parseYaml(bytes, MAX_VALUES)
    checkTypeNames(value)
    const lines = duplicates.map((text) => `  ${text}`).join('\n')
    const problems = duplicates.length === 0 ? [] : [YAML_PROBLEMS + lines]
    return { value, source: value, problems }
  } catch (error) {
    throw asBodyError(error, YamlError)
  }
}

/** Repeated keys are an error in CBOR, not a warning. */
function readCbor(bytes: Buffer): SourceDocument {
  try {
    const value = parseCbor(bytes, MAX_VALUES)
    return { value, source: value, problems: [] }
  } catch (error) {
    throw asBodyError(error, CborError)
  }
}

function readProtobuf(bytes: Buffer, kind: KindSchema): SourceDocument {
  try {
    const { raw, ...names } = decodeProtobuf(bytes)
    const value: Value = { ...decodeRaw(kind, raw, MAX_VALUES), kind: names.kind, apiVersion: names.apiVersion }
    return { value, source: value, problems: [] }
  } catch (error) {
    throw asBodyError(error, ProtobufError)
  }
}

export interface PatchDocument {
  readonly document: Value
  /** The document with numbers as they were written. */
  readonly spelled: SourceValue
  readonly problems: readonly string[]
}

/** Reads a patch in JSON. Throws `BodySyntaxError`. */
export function readPatch(bytes: Buffer): PatchDocument {
  try {
    const { value, duplicates, source } = parseJsonDocument(bytes, MAX_VALUES)
    const problems = duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`)
    return { document: value, spelled: source, problems }
  } catch (error) {
    throw asBodyError(error, JsonSyntaxError)
  }
}

export interface AppliedDocument {
  readonly document: ValueMap
  readonly problems: readonly string[]
}

/** Reads an applied body: YAML, which includes JSON, or CBOR. Throws `BodySyntaxError`. */
export function readApplied(bytes: Buffer, encoding: 'yaml' | 'cbor'): AppliedDocument {
  return encoding === 'yaml' ? readAppliedYaml(bytes) : readAppliedCbor(bytes)
}

function readAppliedYaml(bytes: Buffer): AppliedDocument {
  const json = bytes[0] === OPEN_MAP ? readPlainJson(bytes) : undefined
  if (json !== undefined) return { document: json, problems: [] }
  try {
    const { value, duplicates } = parseYaml(bytes, MAX_VALUES)
    if (value === null) return { document: {}, problems: [] }
    if (isMap(value)) return { document: value, problems: duplicates }
    throw new BodySyntaxError(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${notAMap(value)}`)
  } catch (error) {
    throw asBodyError(error, YamlError, 'error decoding YAML: error converting YAML to JSON: ')
  }
}

/**
 * Most applied bodies are JSON, which the JSON parser reads much faster. Undefined: the body is not JSON, or has a fault. The YAML parser
 * reports faults.
 */
function readPlainJson(bytes: Buffer): ValueMap | undefined {
  try {
    const { value, duplicates } = parseJsonDocument(bytes, MAX_VALUES)
    return isMap(value) && duplicates.length === 0 ? value : undefined
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return undefined
  }
}

function readAppliedCbor(bytes: Buffer): AppliedDocument {
  const { value } = readCbor(bytes)
  if (value === null) return { document: {}, problems: [] }
  if (isMap(value)) return { document: value, problems: [] }
  throw new BodySyntaxError(`error decoding CBOR: ${notAMap(value)}`)
}

function notAMap(value: Value): string {
  return `json: cannot unmarshal ${typeOf(value)} into Go value of type map[string]interface {}`
}
