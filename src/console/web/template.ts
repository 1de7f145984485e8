// The manifest of a new object: the fields that its kind requires, or those of another object. This file needs no browser.
import { type Kind, resourceName } from './kind.ts'
import type { KindSchema, Suggestion } from './kind-schema.ts'
import { withoutField, withScalar } from './yaml-tree.ts'

/** The console writes these itself. The server writes the status. */
const HEAD: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status'])

/** Fields that the schema does not require, but that most objects need. */
const USUAL =
  /^(spec|data|stringData|rules|subjects|spec\.(ports|accessModes|resources))$|selector\.matchLabels$|(^|\.)(template|jobTemplate)(\.(spec|metadata|metadata\.labels))?$|^rules\.(apiGroups|resources)$|ontainers\.image$/

const DEEPEST = 12

export function templateOf(kind: Kind, schema: KindSchema, namespace: string): string {
  const { group, version } = kind
  const name = `new-${kind.kind.toLowerCase()}`
  const lines = (path: readonly string[], indent: string): readonly string[] =>
    schema
      .fieldsAt(path)
      .filter((field) => (path.length > 0 || !HEAD.has(field.name)) && isWanted(field, [...path, field.name]))
      .flatMap((field) => fieldLines(field, [...path, field.name], indent))
  const fieldLines = (field: Suggestion, path: readonly string[], indent: string): readonly string[] => {
    const key = `${indent}${field.name}:`
    if (/[lL]abels$/.test(field.name)) return [key, `${indent}  app: ${name}`]
    const [first = '', ...others] = path.length > DEEPEST ? [] : lines(path, `${indent}  `)
    if (first === '') return [`${key} ${field.sample}`]
    return field.type === 'array' ? [key, `${indent}- ${first.trimStart()}`, ...others] : [key, first, ...others]
  }
  const head = [
    `apiVersion: ${group === '' ? version : `${group}/${version}`}`,
    `kind: ${kind.kind}`,
    'metadata:',
    `  name: ${name}`,
    ...(kind.namespaced ? [`  namespace: ${namespace}`] : []),
  ]
  return `${[...head, ...lines([], '')].join('\n')}\n`
}

function isWanted({ isRequired }: Suggestion, path: readonly string[]): boolean {
  return isRequired || USUAL.test(path.join('.'))
}

const METADATA = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generateName',
  'ownerReferences',
  'finalizers',
].map((field) => ['metadata', field])

const ANNOTATIONS = ['kubectl.kubernetes.io/last-applied-configuration', 'deployment.kubernetes.io/revision'].map(
  (key) => ['metadata', 'annotations', key],
)

const JOB_LABELS = [
  'controller-uid',
  'job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
] as const

/** The fields that the server or its controllers set in the spec of an object. */
const SET_LATER: Readonly<Record<string, readonly (readonly string[])[]>> = {
  pods: [['spec', 'nodeName']],
  services: ['clusterIP', 'clusterIPs', 'healthCheckNodePort'].map((field) => ['spec', field]),
  persistentvolumeclaims: [['spec', 'volumeName']],
  'jobs.batch': [
    ['spec', 'selector'],
    ...JOB_LABELS.flatMap((key) => [
      ['metadata', 'labels', key],
      ['spec', 'template', 'metadata', 'labels', key],
    ]),
  ],
}

/** The text of a new object with the content of another one. `text`: the text of the other one. */
export function duplicateOf(kind: Kind, name: string, text: string): string {
  const set = [...METADATA, ...ANNOTATIONS, ['status'], ...(SET_LATER[resourceName(kind)] ?? [])]
  const rest = set.reduce((left, path) => withoutField(left, path), text)
  return withScalar(rest, ['metadata', 'name'], `${name}-copy`)
}
