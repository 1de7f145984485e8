// The objects of one resource as a test says they are, for plugins that read others.
import type { ObjectReader, SampleReader } from '../../../src/admission/object-reader.ts'
import type { ApiObject } from '../../../src/api/object.ts'

/** Objects without a namespace are of the whole cluster. */
export function knownObjects<T extends ApiObject>(...objects: readonly object[]): ObjectReader<T> & SampleReader<T> {
  const known = objects as readonly T[]
  const namespaceOf = ({ metadata }: ApiObject): unknown => metadata['namespace'] ?? ''
  const find = (namespace: string, name: string): Promise<T | undefined> =>
    Promise.resolve(known.find((item) => item.metadata['name'] === name && namespaceOf(item) === namespace))
  const within = (namespace: string): readonly T[] =>
    known.filter((item) => namespace === '' || namespaceOf(item) === namespace)
  return {
    find,
    findLatest: find,
    list: (namespace) => Promise.resolve(within(namespace)),
    listSome: (namespace, most) =>
      Promise.resolve({ objects: within(namespace).slice(0, most), total: within(namespace).length }),
  }
}
