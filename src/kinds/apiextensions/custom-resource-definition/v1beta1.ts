// Definitions in v1beta1, the version in which kube-apiserver stores them. Parts that all versions share are members of the spec there, and
// some names differ.
import { isGiven, listOrEmpty, mapOrEmpty, mapsOnly, textOrEmpty } from '../../../api/members.ts'
import { specOf, withMembers } from '../../../api/object-members.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../../../api/value.ts'

/** Members of the spec in `v1beta1`, and their names in each version of `v1`. */
const SHARED = {
  subresources: 'subresources',
  validation: 'schema',
  additionalPrinterColumns: 'additionalPrinterColumns',
  selectableFields: 'selectableFields',
} as const

export function definitionFromV1beta1(document: ValueMap): ValueMap {
  const spec = specOf(document)
  const shared = Object.entries(SHARED).filter(([name]) => isGiven(spec, name))
  const common = Object.fromEntries(shared.map(([name, inVersion]) => [inVersion, spec[name]!]))
  const versions = versionsOf(spec).map((version) => withColumns({ ...version, ...common }))
  const rest = withMembers(
    spec,
    Object.fromEntries(['version', ...Object.keys(SHARED)].map((name) => [name, undefined])),
  )
  return {
    ...document,
    spec: {
      ...rest,
      scope: textOrEmpty(spec, 'scope') || 'Namespaced',
      versions,
      conversion: conversionOf(mapOrEmpty(spec, 'conversion')),
      preserveUnknownFields: own(spec, 'preserveUnknownFields') !== false,
    },
  }
}

function versionsOf(spec: ValueMap): readonly ValueMap[] {
  const versions = mapsOnly(spec, 'versions')
  const name = textOrEmpty(spec, 'version')
  return versions.length === 0 && name !== '' ? [{ name, served: true, storage: true }] : versions
}

function withColumns(version: ValueMap): ValueMap {
  const columns = own(version, 'additionalPrinterColumns')
  if (!isList(columns)) return version
  return { ...version, additionalPrinterColumns: columns.map(columnOf) }
}

function columnOf(column: Value): Value {
  if (!isMap(column)) return column
  const path = own(column, 'JSONPath')
  return path === undefined ? column : withMembers(column, { JSONPath: undefined, jsonPath: path })
}

function conversionOf(conversion: ValueMap): ValueMap {
  const strategy = textOrEmpty(conversion, 'strategy') || 'None'
  const clientConfig = own(conversion, 'webhookClientConfig') ?? null
  const versions = own(conversion, 'conversionReviewVersions') ?? null
  const isSaid = listOrEmpty(conversion, 'conversionReviewVersions').length > 0
  const reviewVersions = strategy === 'Webhook' && !isSaid ? ['v1beta1'] : versions
  if (clientConfig === null && reviewVersions === null) return { strategy }
  return {
    strategy,
    webhook: { ...(clientConfig === null ? {} : { clientConfig }), conversionReviewVersions: reviewVersions },
  }
}
