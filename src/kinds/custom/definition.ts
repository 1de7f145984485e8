// A parsed custom resource definition: names, versions and state. Schemas are not part of it, but are read from the stored object when they
// are needed.
import { INDEXES, type IndexedPlace, parseIndexedPlaces } from '../../api/indexed-place.ts'
import {
  asMap,
  listOrEmpty,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  mapsOnly,
  numberOrZero,
  textOrAbsent,
  textOrEmpty,
  textsOnly,
} from '../../api/members.ts'
import { annotationsOf, metaText, specOf, statusOf } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { own, type ValueMap } from '../../api/value.ts'
import { ApiError } from '../../api/status.ts'
import type { PrinterColumn } from '../../codec/table.ts'
import { isTerminating, metaNumber } from '../../registry/object-meta.ts'
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
  /** The names that do not conflict with another definition of the group. */
  readonly accepted: DefinitionNames
  readonly versions: readonly DefinitionVersion[]
  readonly storedVersions: readonly string[]
  readonly storageVersion: string
  /** The names of the definition were accepted at least once. */
  readonly isServed: boolean
  /** The names of the definition were accepted or rejected. */
  readonly areNamesChecked: boolean
  /** The definition is part of discovery. */
  readonly isEstablished: boolean
  readonly isTerminating: boolean
  /** The places to index, as the annotation has them. Empty: none. */
  readonly indexed: string
  /** `spec.conversion.webhook`. Undefined: conversion changes only the name of the version. */
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
  /** The index of the version in `spec.versions`. */
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
  /** Empty if the kind has no selector. */
  readonly selector: string
}

export function readDefinition(object: ApiObject): Definition {
  const [spec, status] = [specOf(object), statusOf(object)]
  const isTrue = (type: string): boolean => conditionOf(object, type)?.['status'] === 'True'
  const conversion = mapOrEmpty(spec, 'conversion')
  const versions = mapsInPlace(spec, 'versions')
  return {
    name: metaText(object, 'name'),
    uid: metaText(object, 'uid'),
    generation: metaNumber(object, 'generation') ?? 0,
    group: textOrEmpty(spec, 'group'),
    namespaced: textOrEmpty(spec, 'scope') !== 'Cluster',
    names: namesOf(mapOrEmpty(spec, 'names')),
    accepted: namesOf(mapOrEmpty(status, 'acceptedNames')),
    versions: versions.map(versionOf),
    storedVersions: textsOnly(status, 'storedVersions'),
    storageVersion: textOrEmpty(versions.find((version) => version['storage'] === true) ?? {}, 'name'),
    isServed: isTrue('NamesAccepted') || isTrue('Established'),
    areNamesChecked: conditionOf(object, 'NamesAccepted') !== undefined,
    isEstablished: isTrue('Established'),
    isTerminating: isTerminating(object) || isTrue('Terminating'),
    indexed: own(annotationsOf(object), INDEXES) ?? '',
    webhook: textOrEmpty(conversion, 'strategy') === 'Webhook' ? mapOrEmpty(conversion, 'webhook') : undefined,
  }
}

/** Empty if the annotation cannot be read: another server may have stored it. */
export function indexesOf({ indexed }: Definition): readonly IndexedPlace[] {
  try {
    return indexed === '' ? NO_INDEXES : parseIndexedPlaces(INDEXES, indexed)
  } catch (error) {
    if (error instanceof ApiError) return NO_INDEXES
    throw error
  }
}

const NO_INDEXES: readonly IndexedPlace[] = []

/** Whether the CA bundle of the conversion webhook is invalid (P-314). */
export function hasBadAuthority(object: ApiObject): boolean {
  const config = mapOrEmpty(mapOrEmpty(mapOrEmpty(specOf(object), 'conversion'), 'webhook'), 'clientConfig')
  return authorityFault(textOrEmpty(config, 'caBundle')) !== undefined
}

/** The `openAPIV3Schema` of a version. Undefined: the version has no schema. */
export function schemaIn(object: ApiObject, index: number): ValueMap | undefined {
  const version = asMap(listOrEmpty(specOf(object), 'versions')[index])
  return mapOrAbsent(mapOrEmpty(version, 'schema'), 'openAPIV3Schema')
}

export function conditionOf(object: ValueMap, type: string): ValueMap | undefined {
  return mapsOnly(statusOf(object), 'conditions').find((condition) => condition['type'] === type)
}

function namesOf(names: ValueMap): DefinitionNames {
  return {
    plural: textOrEmpty(names, 'plural'),
    singular: textOrEmpty(names, 'singular'),
    kind: textOrEmpty(names, 'kind'),
    listKind: textOrEmpty(names, 'listKind'),
    shortNames: textsOnly(names, 'shortNames'),
    categories: textsOnly(names, 'categories'),
  }
}

function versionOf(version: ValueMap, index: number): DefinitionVersion {
  const subresources = mapOrEmpty(version, 'subresources')
  const scale = mapOrAbsent(subresources, 'scale')
  return {
    version: textOrEmpty(version, 'name'),
    index,
    served: version['served'] === true,
    deprecated: version['deprecated'] === true,
    deprecationWarning: textOrAbsent(version, 'deprecationWarning'),
    hasStatus: mapOrAbsent(subresources, 'status') !== undefined,
    scale: scale && scaleOf(scale),
    columns: mapsOnly(version, 'additionalPrinterColumns').map(columnOf),
    selectable: mapsOnly(version, 'selectableFields').map((field) => textOrEmpty(field, 'jsonPath')),
  }
}

function scaleOf(scale: ValueMap): ScalePaths {
  return {
    spec: textOrEmpty(scale, 'specReplicasPath'),
    status: textOrEmpty(scale, 'statusReplicasPath'),
    selector: textOrEmpty(scale, 'labelSelectorPath'),
  }
}

function columnOf(column: ValueMap): PrinterColumn {
  return {
    name: textOrEmpty(column, 'name'),
    type: textOrEmpty(column, 'type'),
    jsonPath: textOrEmpty(column, 'jsonPath'),
    format: textOrEmpty(column, 'format'),
    description: textOrEmpty(column, 'description'),
    priority: numberOrZero(column, 'priority'),
  }
}

/** The newest and most stable version first: v2, v1, v2beta1, v1alpha1, then names of other forms, sorted (P-362). */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  if (left === undefined || right === undefined) {
    if (left !== undefined || right !== undefined) return left === undefined ? 1 : -1
    return a < b ? -1 : 1
  }
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor
}

const STABILITY: Readonly<Record<string, number>> = { alpha: 0, beta: 1 }

function parseVersion(text: string): Readonly<Record<'stability' | 'major' | 'minor', number>> | undefined {
  const parts = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(text)
  if (parts === null) return undefined
  const [, major = '', word = '', minor = '0'] = parts
  return { stability: STABILITY[word] ?? 2, major: Number(major), minor: Number(minor) }
}

/** The warnings for requests to a deprecated version (P-310). */
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
