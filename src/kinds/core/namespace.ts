// Namespaces: their finalizers are their own, and their phase follows from whether they are being deleted.
import { FieldPath } from '../../api/field-path.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'
import { has, partOf, textOf, textsOf } from '../../schema/validation/members.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  checkFinalizerWord,
  labelName,
} from '../../schema/validation/object-meta.ts'
import type { KindRules } from '../../schema/validation/rules.ts'

const FINALIZERS = FieldPath.root('spec').child('finalizers')
const PHASE = FieldPath.root('status').child('Phase')

function checkNamespace(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, labelName, check)
  for (const finalizer of textsOf(partOf(object, 'spec'), 'finalizers')) {
    check.format(FINALIZERS, finalizer, qualifiedName(finalizer))
    checkFinalizerWord(finalizer, FINALIZERS, check)
  }
}

export const namespace: KindRules = {
  create: checkNamespace,
  update: (object, stored, check) => {
    checkNamespace(object, check)
    checkBuiltInMetaUpdate(object, stored, check)
  },
  subresources: {
    status: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      const phase = textOf(partOf(object, 'status'), 'phase')
      if (has(partOf(object, 'metadata'), 'deletionTimestamp')) {
        const detail = "may only be 'Terminating' if `deletionTimestamp` is not empty"
        if (phase !== 'Terminating') check.invalid(PHASE, phase, detail)
      } else if (phase !== 'Active') check.invalid(PHASE, phase, "may only be 'Active' if `deletionTimestamp` is empty")
    },
    finalize: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      for (const [i, finalizer] of textsOf(partOf(object, 'spec'), 'finalizers').entries()) {
        check.format(FINALIZERS.index(i), finalizer, qualifiedName(finalizer))
        checkFinalizerWord(finalizer, FINALIZERS.index(i), check)
      }
    },
  },
}
