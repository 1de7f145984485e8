// The columns of kinds with a pod template.
import { AGE, type Cell, type Column, count, integer, NAME, wide } from '../../../codec/tables/column.ts'
import { at, listAt, numberAt, selectorText, textAt } from '../../../codec/tables/reading.ts'

export function eachContainer(member: string, ...path: readonly string[]): Cell {
  return (object) =>
    listAt(object, ...path, 'spec', 'containers')
      .map((container) => textAt(container, member))
      .join(',')
}

export function containerColumns(...template: readonly string[]): readonly Column[] {
  return [
    wide('Containers', 'The names of the containers in the template.', eachContainer('name', ...template)),
    wide('Images', 'The images of the containers in the template.', eachContainer('image', ...template)),
  ]
}

export function selectorColumn(...path: readonly string[]): Column {
  return wide('Selector', 'Which pods belong to it.', (object) => selectorText(at(object, ...path)))
}

/** `ready/wanted`. */
export const readyOfWanted: Cell = (object) =>
  `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`

export const REPLICA_COLUMNS: readonly Column[] = [
  NAME,
  integer('Desired', 'How many pods are wanted.', count('spec', 'replicas')),
  integer('Current', 'How many pods there are.', count('status', 'replicas')),
  integer('Ready', 'How many of them are ready.', count('status', 'readyReplicas')),
  AGE,
  ...containerColumns('spec', 'template'),
]
