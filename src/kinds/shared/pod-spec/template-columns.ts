// The columns of kinds with a pod template.
import type { Container, LabelSelector, PodSpec, PodTemplateSpec } from '../../../api/gen/kinds.ts'
import type { ApiObject } from '../../../api/object.ts'
import { AGE, type Cell, type Column, integer, NAME, wide } from '../../../codec/tables/column.ts'
import { selectorText } from '../../../codec/tables/reading.ts'

export function eachContainer<T>(member: 'name' | 'image', templateOf: (object: T) => { spec: PodSpec }): Cell<T> {
  const text = ({ [member]: found = '' }: Container): string => found
  return (object) => (templateOf(object).spec.containers ?? []).map(text).join(',')
}

export function containerColumns<T>(templateOf: (object: T) => PodTemplateSpec): readonly Column<T>[] {
  return [
    wide('Containers', 'The names of the containers in the template.', eachContainer('name', templateOf)),
    wide('Images', 'The images of the containers in the template.', eachContainer('image', templateOf)),
  ]
}

export function selectorColumn<T>(selectorOf: (object: T) => LabelSelector | null | undefined): Column<T> {
  return wide('Selector', 'The labels of the selected pods.', (object) => selectorText(selectorOf(object) ?? undefined))
}

interface Replicated {
  readonly spec: { readonly replicas?: number; readonly template?: PodTemplateSpec }
  readonly status: { readonly replicas?: number; readonly readyReplicas?: number }
}

/** `ready/wanted`. */
export const readyOfWanted: Cell<Replicated> = ({ spec, status }) =>
  `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`

export const REPLICA_COLUMNS: readonly Column<Replicated & ApiObject>[] = [
  NAME,
  integer('Desired', 'The number of wanted pods.', ({ spec }) => spec.replicas ?? 0),
  integer('Current', 'The number of pods.', ({ status }) => status.replicas ?? 0),
  integer('Ready', 'The number of ready pods.', ({ status }) => status.readyReplicas ?? 0),
  AGE,
  ...containerColumns<Replicated>(({ spec }) => spec.template ?? NO_TEMPLATE),
]

const NO_TEMPLATE: PodTemplateSpec = { metadata: {}, spec: { containers: [] } }
