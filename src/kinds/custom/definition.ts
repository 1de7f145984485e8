// A custom resource definition as the server reads it: names, versions and how far it has come. Schemas are not in it; they
// are read from the stored object when somebody needs them.
import type { ApiObject } from '../../api/object.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../../api/value.ts'
import type { PrinterColumn } from '../../codec/table.ts'
import { isTerminating, metaNumber, metaText } from '../../registry/object-meta.ts'
import { textOf } from '../../schema/validation/members.ts'
import { mapIn, mapsIn } from '../shared/members.ts'
import { authorityFault } from '../shared/pem.ts'

export interface Definition {
  /** `crontabs.stable.example.com`. */
  readonly name: string
  readonly uid: string
  /** Grows with every change of the specification. */
  readonly generation: number
  readonly group: string
  readonly namespaced: boolean
  readonly names: DefinitionNames
  /** Those of the names that no other definition of the group had before. */
  readonly accepted: DefinitionNames
  readonly versions: readonly DefinitionVersion[]
  readonly storedVersions: readonly string[]
  readonly storageVersion: string
  /** Served: its names were accepted at least once. */
  readonly isServed: boolean
  /** Its names were looked at, and accepted or not. */
  readonly isJudged: boolean
  /** Told of in discovery. */
  readonly isEstablished: boolean
  readonly isTerminating: boolean
  /** The client configuration of the webhook that converts; undefined where only the version's name changes. */
  readonly webhook: ValueMap | undefined
}

export interface DefinitionNames {
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
}

export interface DefinitionVersion {
  readonly version: string
  /** Its place in `spec.versions`. */
  readonly index: number
  readonly served: boolean
  readonly deprecated: boolean
  readonly deprecationWarning: string | undefined
  readonly hasStatus: boolean
  readonly scale: ScalePaths | undefined
  readonly columns: readonly PrinterColumn[]
  /** Simple JSON paths. */
  readonly selectable: readonly string[]
}

export interface ScalePaths {
  readonly spec: string
  readonly status: string
  /** Empty where the kind has no selector. */
  readonly selector: string
}

export function readDefinition(object: ApiObject): Definition {
  const spec = mapIn(object, 'spec')
  const status = mapIn(object, 'status')
  const isTrue = (type: string): boolean => conditionOf(object, type)?.['status'] === 'True'
  const conversion = mapIn(spec, 'conversion')
  const versions = mapsIn(spec, 'versions')
  return {
    name: metaText(object, 'name'),
    uid: metaText(object, 'uid'),
    generation: metaNumber(object, 'generation') ?? 0,
    group: textOf(spec, 'group'),
    namespaced: textOf(spec, 'scope') !== 'Cluster',
    names: namesOf(mapIn(spec, 'names')),
    accepted: namesOf(mapIn(status, 'acceptedNames')),
    versions: versions.map(versionOf),
    storedVersions: textsIn(status, 'storedVersions'),
    storageVersion: textOf(versions.find((version) => version['storage'] === true) ?? {}, 'name'),
    isServed: isTrue('NamesAccepted') || isTrue('Established'),
    isJudged: conditionOf(object, 'NamesAccepted') !== undefined,
    isEstablished: isTrue('Established'),
    isTerminating: isTerminating(object) || isTrue('Terminating'),
    webhook: textOf(conversion, 'strategy') === 'Webhook' ? mapIn(conversion, 'webhook') : undefined,
  }
}

/** Whether the webhook that converts is to be trusted by something that is no certificate (P-314). */
export function hasBadAuthority(object: ApiObject): boolean {
  const config = mapIn(mapIn(mapIn(mapIn(object, 'spec'), 'conversion'), 'webhook'), 'clientConfig')
  return authorityFault(textOf(config, 'caBundle')) !== undefined
}

/** `openAPIV3Schema` of a version; undefined where there is none. */
export function schemaIn(object: ApiObject, index: number): ValueMap | undefined {
  const schema = own(mapIn(mapsIn(mapIn(object, 'spec'), 'versions')[index] ?? {}, 'schema'), 'openAPIV3Schema')
  return isMap(schema) ? schema : undefined
}

export function conditionOf(object: ValueMap, type: string): ValueMap | undefined {
  return mapsIn(mapIn(object, 'status'), 'conditions').find((condition) => condition['type'] === type)
}

function namesOf(names: ValueMap): DefinitionNames {
  return {
    plural: textOf(names, 'plural'),
    singular: textOf(names, 'singular'),
    kind: textOf(names, 'kind'),
    listKind: textOf(names, 'listKind'),
    shortNames: textsIn(names, 'shortNames'),
    categories: textsIn(names, 'categories'),
  }
}

function textsIn(map: ValueMap, name: string): readonly string[] {
  const list = own(map, name)
  return isList(list) ? list.filter((one: Value) => typeof one === 'string') : []
}

function versionOf(version: ValueMap, index: number): DefinitionVersion {
  const subresources = mapIn(version, 'subresources')
  const warning = own(version, 'deprecationWarning')
  const scale = own(subresources, 'scale')
  return {
    version: textOf(version, 'name'),
    index,
    served: version['served'] === true,
    deprecated: version['deprecated'] === true,
    deprecationWarning: typeof warning === 'string' ? warning : undefined,
    hasStatus: isMap(own(subresources, 'status')),
    scale: isMap(scale) ? scaleOf(scale) : undefined,
    columns: mapsIn(version, 'additionalPrinterColumns').map(columnOf),
    selectable: mapsIn(version, 'selectableFields').map((field) => textOf(field, 'jsonPath')),
  }
}

function scaleOf(scale: ValueMap): ScalePaths {
  return {
    spec: textOf(scale, 'specReplicasPath'),
    status: textOf(scale, 'statusReplicasPath'),
    selector: textOf(scale, 'labelSelectorPath'),
  }
}

function columnOf(column: ValueMap): PrinterColumn {
  const priority = own(column, 'priority')
  return {
    name: textOf(column, 'name'),
    type: textOf(column, 'type'),
    jsonPath: textOf(column, 'jsonPath'),
    format: textOf(column, 'format'),
    description: textOf(column, 'description'),
    priority: typeof priority === 'number' ? priority : 0,
  }
}

/** Newest and most stable first: v2, v1, v2beta1, v1alpha1, then whatever is not of that form, by name (P-362). */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  if (left === undefined || right === undefined) {
    if (left !== undefined || right !== undefined) return left === undefined ? 1 : -1
    return a < b ? -1 : 1
  }
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor
}

const STABILITY: Readonly<Record<string, number>> = { alpha: 0, beta: 1 }

function parseVersion(
  text: string,
): { readonly stability: number; readonly major: number; readonly minor: number } | undefined {
  const parts = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(text)
  if (parts === null) return undefined
  const [, major = '', word = '', minor = '0'] = parts
  return { stability: STABILITY[word] ?? 2, major: Number(major), minor: Number(minor) }
}

/** What every request for a deprecated version is told (P-310). */
export function deprecationsOf(definition: Definition, version: DefinitionVersion): readonly string[] {
  if (!version.deprecated) return []
  if (version.deprecationWarning !== undefined) return [version.deprecationWarning]
  const { group, accepted, names } = definition
  const kind = accepted.kind || names.kind
  const text = `${group}/${version.version} ${kind} is deprecated`
  const better = definition.versions
    .filter((one) => one.served && !one.deprecated && compareVersions(one.version, version.version) < 0)
    .map((one) => one.version)
    .sort(compareVersions)[0]
  return [better === undefined ? text : `${text}; use ${group}/${better} ${kind}`]
}
