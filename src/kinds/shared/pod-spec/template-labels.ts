// Objects without labels of their own bear those of the pods that they make.
import { mapOrEmpty } from '../../../api/members.ts'
import { labelsOf, metaOf, withMeta } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { isMap, type ValueMap } from '../../../api/value.ts'
import { type Rule, withMember } from '../../../schema/defaults/rule.ts'

/** An object without labels of its own bears those of the pods that it makes. */
export function labelsFromTemplate(object: Parameters<Rule>[0]): ReturnType<Rule> {
  if (!isMap(object)) return object
  const labels = templateLabels(object)
  const metadata = isMap(object['metadata']) ? object['metadata'] : {}
  const own = metadata['labels']
  if (labels === undefined || (isMap(own) && Object.keys(own).length > 0)) return object
  return withMember(object, 'metadata', withMember(metadata, 'labels', labels))
}

/** The labels of the template of pods, where there are any. */
export function templateLabels(object: ValueMap): ValueMap | undefined {
  const { spec } = object
  const template = isMap(spec) ? spec['template'] : undefined
  const metadata = isMap(template) ? template['metadata'] : undefined
  const labels = isMap(metadata) ? metadata['labels'] : undefined
  return isMap(labels) && Object.keys(labels).length > 0 ? labels : undefined
}

/** Where an update takes all labels away, the object bears those of its template again. */
export function withTemplateLabels(object: ApiObject): ApiObject {
  if (Object.keys(labelsOf(object)).length > 0) return object
  const labels = mapOrEmpty(metaOf(mapOrEmpty(mapOrEmpty(object, 'spec'), 'template')), 'labels')
  return Object.keys(labels).length === 0 ? object : withMeta(object, { labels })
}
