// Defaults of labels and selector in versions before v1. Their documents have no types here.
import { labelsOf, metaOf, specOf } from '../../api/object-members.ts'
import { isMap, type ValueMap } from '../../api/value.ts'

/** Before v1, labels and selector defaulted to the labels of the template. */
export function withLabelsOfTemplate(document: ValueMap): ValueMap {
  const [metadata, spec] = [metaOf(document), specOf(document)]
  const { template } = spec
  const { labels } = isMap(template) ? metaOf(template) : {}
  if (labels === undefined) return document
  const hasLabels = Object.keys(labelsOf(document)).length > 0
  return {
    ...document,
    metadata: hasLabels ? metadata : { ...metadata, labels },
    spec: { ...spec, selector: spec['selector'] ?? { matchLabels: labels } },
  }
}
