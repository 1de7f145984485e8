// Namespaces: deleted in two phases, labelled with their name, and with finalizers in the spec that only `finalize` changes.
import { FieldPath } from '../../api/field-path.ts'
import type { Namespace, NamespaceSpec, ObjectMeta } from '../../api/gen/kinds.ts'
import { withMeta, withSpec } from '../../api/object-members.ts'
import { own } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import type { PropagationOptions } from '../../registry/registry.ts'
import { always, blank, type OwnRule, within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  checkFinalizerWord,
  labelName,
} from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { WITH_STATUS } from '../shared/strategies.ts'

const FINALIZERS = FieldPath.root<NamespaceSpec>('spec').child('finalizers')
const PHASE = FieldPath.root('status').child('Phase')

function checkNamespace(object: Namespace, check: Check): void {
  checkBuiltInMeta(object, labelName, check)
  for (const finalizer of specFinalizers(object)) {
    check.format(FINALIZERS, finalizer, qualifiedName(finalizer))
    checkFinalizerWord(finalizer, FINALIZERS, check)
  }
}

const FINALIZER = 'kubernetes'
const PROPAGATION_FINALIZERS = { Orphan: 'orphan', Foreground: 'foregroundDeletion', Background: undefined } as const
const PROPAGATING: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion'])
const NAME_LABEL = 'kubernetes.io/metadata.name'

/** Unlike with other kinds, `orphanDependents: false` means foreground deletion (W-376). */
function finalizersFor(
  { orphanDependents, propagationPolicy }: PropagationOptions,
  before: readonly string[],
): readonly string[] {
  if (orphanDependents === undefined && propagationPolicy === undefined) return before
  const propagation = orphanDependents === undefined ? propagationPolicy : orphanDependents ? 'Orphan' : 'Foreground'
  const wanted = propagation === undefined ? undefined : PROPAGATION_FINALIZERS[propagation]
  const others = before.filter((name) => name === wanted || !PROPAGATING.has(name))
  return wanted === undefined || others.includes(wanted) ? others : [...others, wanted]
}

function specFinalizers({ spec: { finalizers = [] } }: Namespace): readonly string[] {
  return finalizers
}

function withSpecFinalizers(object: Namespace, finalizers: readonly string[]): Namespace {
  return withSpec(object, { finalizers: finalizers.length === 0 ? undefined : finalizers })
}

function withNameLabel(object: Namespace): Namespace {
  const { name = '', labels: given } = object.metadata
  const labels = { ...given, [NAME_LABEL]: name }
  return withMeta(object, { labels })
}

/** Every namespace has its name as a label, for selectors. */
const named: OwnRule<ObjectMeta> = (given) => {
  const { name = '', labels = {} } = given ?? {}
  if (name === '' || own(labels, NAME_LABEL) === name) return given
  const withName = { ...labels, [NAME_LABEL]: name }
  return { ...given, labels: withName }
}

export const NAMESPACE: Kind = typedKind<Namespace>({
  validation: {
    create: checkNamespace,
    update: (object, stored, check) => {
      checkNamespace(object, check)
      checkBuiltInMetaUpdate(object, stored, check)
    },
    subresources: {
      status: (object, stored, check) => {
        checkBuiltInMetaUpdate(object, stored, check)
        const { phase = '' } = object.status
        if (object.metadata.deletionTimestamp !== undefined) {
          const detail = "may only be 'Terminating' if `deletionTimestamp` is not empty"
          if (phase !== 'Terminating') check.invalid(PHASE, phase, detail)
        } else if (phase !== 'Active')
          check.invalid(PHASE, phase, "may only be 'Active' if `deletionTimestamp` is empty")
      },
      finalize: (object, stored, check) => {
        checkBuiltInMetaUpdate(object, stored, check)
        for (const [i, finalizer] of specFinalizers(object).entries()) {
          check.format(FINALIZERS.index(i), finalizer, qualifiedName(finalizer))
          checkFinalizerWord(finalizer, FINALIZERS.index(i), check)
        }
      },
    },
  },
  defaults: within({ metadata: named, status: always({ phase: blank('Active') }) }),
  strategy: {
    status: WITH_STATUS,
    answersDeleteWithObject: true,
    prepareForCreate: (object) => {
      const before = specFinalizers(object)
      const finalizers = before.includes(FINALIZER) ? before : [...before, FINALIZER]
      return withNameLabel(withSpecFinalizers(object, finalizers))
    },
    firstStatus: () => ({ phase: 'Active' }),
    prepareForUpdate: (object, stored) => withNameLabel(withSpecFinalizers(object, specFinalizers(stored))),
    markOnDelete: (object, now, wish) => {
      const wanted = finalizersFor(wish, object.metadata.finalizers ?? [])
      const finalizers = wanted.length === 0 ? undefined : wanted
      const marked = withMeta(object, { deletionTimestamp: now, finalizers })
      return { ...marked, status: { ...object.status, phase: 'Terminating' } }
    },
    isHeldBack: (object) => specFinalizers(object).length > 0,
    subresources: {
      finalize: {
        prepare: (object, stored) => withNameLabel({ ...object, status: stored.status }),
        resetFields: ['status'],
      },
    },
  },
  columns: tableOf([NAME, column('Status', 'Active, or being deleted.', ({ status }) => status.phase ?? ''), AGE]),
})
