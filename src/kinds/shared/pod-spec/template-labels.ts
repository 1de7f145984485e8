// An object without labels gets those of its pod template.
import { mapOrEmpty } from '../../../api/members.ts'
import { labelsOf, metaOf, specOf, withMeta } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { isMap, type ValueMap } from '../../../api/value.ts'
import type { Rule } from '../../../schema/defaults/rule.ts'

export function labelsFromTemplate(object: Parameters<Rule>[0]): ReturnType<Rule> {
  if (!isMap(object)) return object
  const labels = templateLabels(object)
  if (labels === undefined || Object.keys(labelsOf(object)).length > 0) return object
  return { ...object, metadata: { ...metaOf(object), labels } }
}

/** The labels of the pod template; undefined where there are none. */
export function templateLabels(object: ValueMap): ValueMap | undefined {
  const labels = labelsOf(mapOrEmpty(specOf(object), 'template'))
  return Object.keys(labels).length > 0 ? labels : undefined
}

export function withTemplateLabels(object: ApiObject): ApiObject {
  if (Object.keys(labelsOf(object)).length > 0) return object
  const labels = templateLabels(object)
  return labels === undefined ? object : withMeta(object, { labels })
}
