// Public definitions with the objects that belong to them, each once.
import { jsonText } from '../../src/api/json-text.ts'
import { isList, isMap, type Value, type ValueMap } from '../../src/api/value.ts'
import { type PublicDocument, readModules } from './public-modules.ts'

export interface PublicDefinition extends PublicDocument {
  readonly name: string
  readonly group: string
  readonly names: { readonly kind: string; readonly plural: string }
  readonly isNamespaced: boolean
  /** Those that are served. */
  readonly versions: readonly string[]
  /** What is told where a value does not fulfil an expression, for each that it has. */
  readonly rules: readonly string[]
}

export interface PublicCorpus {
  readonly definitions: readonly PublicDefinition[]
  /** Objects of kinds that are defined, by their API version and kind. */
  readonly samples: ReadonlyMap<string, readonly PublicDocument[]>
  readonly policies: readonly PublicDocument[]
}

const POLICY = /^(?:Validating|Mutating)AdmissionPolicy(?:Binding)?$/

export async function readCorpus(modules: readonly string[]): Promise<PublicCorpus> {
  const definitions = new Map<string, PublicDefinition>()
  const others = new Map<string, PublicDocument>()
  for (const document of await readModules(modules)) {
    if (document.kind !== 'CustomResourceDefinition') {
      const key = jsonText(document.value)
      if (!others.has(key)) others.set(key, document)
      continue
    }
    const definition = definitionIn(document)
    if (definition === undefined) continue
    const key = `${definition.name} ${document.apiVersion} ${jsonText(document.value['spec'] ?? null)}`
    if (!definitions.has(key)) definitions.set(key, definition)
  }
  const defined = new Set(
    [...definitions.values()].flatMap(({ group, versions, names }) =>
      versions.map((version) => `${group}/${version} ${names.kind}`),
    ),
  )
  const known = [...others.values()].filter(({ apiVersion, kind }) => defined.has(`${apiVersion} ${kind}`))
  return {
    definitions: [...definitions.values()],
    samples: Map.groupBy(known, ({ apiVersion, kind }) => `${apiVersion} ${kind}`),
    policies: [...others.values()].filter(
      ({ apiVersion, kind }) => apiVersion === 'admissionregistration.k8s.io/v1' && POLICY.test(kind),
    ),
  }
}

/** Undefined where it does not even say what it is the definition of. */
function definitionIn(document: PublicDocument): PublicDefinition | undefined {
  const { name } = mapOf(document.value['metadata'])
  const { group, names, scope, versions } = mapOf(document.value['spec'])
  const { kind, plural } = mapOf(names)
  if (typeof name !== 'string' || typeof group !== 'string') return undefined
  if (typeof kind !== 'string' || typeof plural !== 'string') return undefined
  const all = (isList(versions ?? null) ? (versions as readonly Value[]) : []).map(mapOf)
  return {
    ...document,
    name,
    group,
    names: { kind, plural },
    isNamespaced: scope === 'Namespaced',
    versions: all.flatMap(({ served: is, name: version }) =>
      is === true && typeof version === 'string' ? [version] : [],
    ),
    rules: rulesIn(versions ?? null),
  }
}

function mapOf(value: Value | undefined): ValueMap {
  return value !== undefined && isMap(value) ? value : {}
}

function rulesIn(value: Value): readonly string[] {
  if (isList(value)) return value.flatMap(rulesIn)
  if (!isMap(value)) return []
  const rules = value['x-kubernetes-validations']
  const here = (isList(rules ?? null) ? (rules as readonly Value[]) : [])
    .map(mapOf)
    .map(({ rule, message }) =>
      typeof message === 'string' ? message : `failed rule: ${typeof rule === 'string' ? rule : ''}`,
    )
  return [...here, ...Object.values(value).flatMap(rulesIn)]
}
