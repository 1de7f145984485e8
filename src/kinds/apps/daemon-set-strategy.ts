// Daemon sets count the versions of their template in an annotation, which clients see and cannot change (W-135).
import type { ApiObject } from '../../api/object.ts'
import { own } from '../../api/value.ts'
import { ApiError } from '../../api/status.ts'
import type { KindStrategy } from '../strategy.ts'
import { annotationOf, mapIn, withAnnotation } from '../shared/members.ts'
import { semanticallyEqual } from '../shared/semantic-equality.ts'
import { templateWarnings } from '../shared/pod-spec/template-warnings.ts'

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

export const DAEMON_SET: KindStrategy = {
  prepareForCreate: (object) => withTemplateGeneration(object, Math.max(templateGeneration(object), 1)),
  prepareForUpdate: (object, stored) => {
    templateGeneration(object)
    const before = templateGeneration(stored)
    const same = semanticallyEqual(own(mapIn(object, 'spec'), 'template'), own(mapIn(stored, 'spec'), 'template'))
    return withTemplateGeneration(object, same ? before : before + 1)
  },
  prepareStatus: (object, stored) => withTemplateGeneration(object, templateGeneration(stored)),
  warnings: templateWarnings('spec.template'),
}

function templateGeneration(object: ApiObject): number {
  const text = annotationOf(object, TEMPLATE_GENERATION)
  if (text === '') return 0
  if (!/^[+-]?\d{1,15}$/.test(text)) {
    const problem = `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`
    throw new ApiError('BadRequest', `DaemonSet in version "v1" cannot be handled as a DaemonSet: ${problem}`)
  }
  return Number(text)
}

function withTemplateGeneration(object: ApiObject, generation: number): ApiObject {
  return withAnnotation(object, TEMPLATE_GENERATION, String(generation))
}
