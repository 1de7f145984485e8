// Workloads: templates of pod groups and of composite pod groups, which form a tree. By default, the kind is not served.
import { FieldPath } from '../../api/field-path.ts'
import type { CompositePodGroupTemplate, PodGroupTemplate, Workload, WorkloadSpec } from '../../api/gen/kinds.ts'
import { AGE, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { checkChoice } from '../shared/choice.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { checkGroup, type Group } from './group-rules.ts'

const SPEC = FieldPath.root<WorkloadSpec>('spec')
const MAX_TEMPLATES = 8
const MAX_DEPTH = 4
const GROUP = {
  group: 'scheduling.k8s.io_v1beta1.PodGroupTemplate',
  gang: 'scheduling.k8s.io_v1beta1.GangSchedulingPolicy',
} as const
const COMPOSITE = {
  group: 'scheduling.k8s.io_v1beta1.CompositePodGroupTemplate',
  gang: 'scheduling.k8s.io_v1beta1.CompositeGangSchedulingPolicy',
} as const

/** The templates of a workload, or of a composite template. */
interface Templates {
  readonly podGroupTemplates?: readonly PodGroupTemplate[] | null
  readonly compositePodGroupTemplates?: readonly CompositePodGroupTemplate[] | null
}

type Template = Group & { readonly name: string }

function checkTemplates(holder: Templates, at: FieldPath, check: Check, stored?: Templates): void {
  const both = (
    name: keyof Templates,
    rule: (template: Template, place: FieldPath, before: Template | undefined) => void,
  ): void => {
    const [all, before] = [holder, stored].map((one) => (one?.[name] ?? []) as unknown as readonly Template[])
    checkList(all!, stored && before, at.child(name), check, rule)
  }
  both('podGroupTemplates', (one, place, before) => checkGroup(GROUP, one, place, check, before))
  both('compositePodGroupTemplates', (one, place, before) => {
    checkGroup(COMPOSITE, one, place, check, before)
    checkTemplates(one as Templates, place, check, before as Templates | undefined)
  })
}

function checkList(
  templates: readonly Template[],
  stored: readonly Template[] | undefined,
  list: FieldPath,
  check: Check,
  rule: (template: Template, at: FieldPath, before: Template | undefined) => void,
): void {
  if (templates.length > MAX_TEMPLATES) return check.tooMany(list, templates.length, MAX_TEMPLATES)
  const named = (all: readonly Template[], name: string): Template | undefined => all.find((one) => one.name === name)
  if (stored !== undefined) {
    const added = templates.flatMap(({ name }, i) => (named(stored, name) === undefined ? [i] : []))
    const isRemoved = stored.some(({ name }) => named(templates, name) === undefined)
    for (const i of added) check.forbidden(list.index(i), 'item may not be added')
    if (isRemoved) check.forbidden(list, 'item may not be removed')
    if (added.length > 0 || isRemoved) return
  }
  const seen = new Set<string>()
  for (const [i, template] of templates.entries()) {
    check.unique(seen, template.name, list.index(i))
    rule(template, list.index(i), stored && named(stored, template.name))
  }
}

/** Names are unique in the whole tree. `checkList` refuses equal names in one list. */
function checkNames(holder: Templates, at: FieldPath, check: Check, seen: Set<string>): void {
  for (const list of ['podGroupTemplates', 'compositePodGroupTemplates'] as const) {
    const templates = holder[list] ?? []
    for (const [i, { name }] of templates.entries())
      if (seen.has(name)) check.duplicate(at.child(list).index(i).child('name'), name)
    for (const { name } of templates) seen.add(name)
  }
  for (const [i, child] of (holder.compositePodGroupTemplates ?? []).entries())
    checkNames(child, at.child('compositePodGroupTemplates').index(i), check, seen)
}

function depthOf({ compositePodGroupTemplates: children }: Templates): number {
  return 1 + (children ?? []).reduce((deepest, child) => Math.max(deepest, depthOf(child)), 0)
}

function prioritiesOf(holder: Templates): readonly string[] {
  const all = [...(holder.podGroupTemplates ?? []), ...(holder.compositePodGroupTemplates ?? [])]
  const own = all.map(({ priorityClassName, priority }) => JSON.stringify([priorityClassName ?? '', priority]))
  return [...own, ...(holder.compositePodGroupTemplates ?? []).flatMap(prioritiesOf)]
}

function checkChildren(holder: Templates, at: FieldPath, check: Check): void {
  for (const [i, child] of (holder.compositePodGroupTemplates ?? []).entries()) {
    const place = at.child('compositePodGroupTemplates').index(i)
    if ([...(child.podGroupTemplates ?? []), ...(child.compositePodGroupTemplates ?? [])].length === 0)
      check.invalid(place, child.name, 'must have at least one child PodGroupTemplate or CompositePodGroupTemplate')
    checkChildren(child, place, check)
  }
}

function checkSpec({ spec }: Workload, check: Check, stored?: Workload): void {
  const members = ['podGroupTemplates', 'compositePodGroupTemplates'] as const
  checkChoice({ part: spec, stored: stored?.spec, members }, SPEC, check)
  const { controllerRef } = spec
  const owner = SPEC.child('controllerRef')
  if (stored !== undefined) check.unchanged(owner, controllerRef, stored.spec.controllerRef)
  else if (controllerRef !== undefined)
    check.fields(controllerRef, owner, 'scheduling.k8s.io_v1beta1.TypedLocalObjectReference')
  checkTemplates(spec, SPEC, check, stored?.spec)
  checkNames(spec, SPEC, check, new Set())
  for (const [i, child] of (spec.compositePodGroupTemplates ?? []).entries()) {
    const detail = `maximum template hierarchy depth is ${MAX_DEPTH}`
    if (depthOf(child) > MAX_DEPTH - 1)
      check.invalid(SPEC.child('compositePodGroupTemplates').index(i), child.compositePodGroupTemplates, detail)
  }
  const all = 'all priority and priorityClassName values must be identical, detected multiple values'
  if (new Set(prioritiesOf({ podGroupTemplates: spec.podGroupTemplates })).size > 1)
    check.invalid(SPEC, null, 'detected multiple priority configurations')
  else if (new Set(prioritiesOf(spec)).size > 1) check.invalid(SPEC, null, all)
  checkChildren(spec, SPEC, check)
}

export const SCHEDULED_WORKLOAD: Kind = typedKind<Workload>({
  validation: builtInRules({ object: checkSpec }),
  strategy: withGatedFields(
    gatedFields(
      'scheduling.k8s.io_v1beta1.Workload',
      'spec/compositePodGroupTemplates',
      'spec/podGroupTemplates/*/schedulingConstraints',
      'spec/podGroupTemplates/*/resourceClaims',
      'spec/podGroupTemplates/*/preemptionPolicy',
    ),
    { conditionalUpdate: true },
  ),
  columns: tableOf([NAME, AGE]),
})
