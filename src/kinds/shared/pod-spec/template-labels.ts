// An object without labels gets the labels of its pod template.
import type { Job, ReplicationController } from '../../../api/gen/kinds.ts'
import type { MapOf } from '../../../api/value.ts'

type Templated = Job | ReplicationController

/** The same rule for the defaults of a kind. An absent object stays absent. */
export function labelsFromTemplate<T extends Templated>(object: T | undefined): T | undefined {
  return object && withTemplateLabels(object)
}

/** The labels of the pod template. Undefined: there are none. */
export function templateLabels({ spec }: Templated): MapOf<string> | undefined {
  const labels = spec.template?.metadata.labels
  return labels && Object.keys(labels).length > 0 ? labels : undefined
}

export function withTemplateLabels<T extends Templated>(object: T): T {
  if (Object.keys(object.metadata.labels ?? {}).length > 0) return object
  const labels = templateLabels(object)
  return labels === undefined ? object : { ...object, metadata: { ...object.metadata, labels } }
}
