// The texts of explanations. For a 403 they have manifests of the missing roles, which the reader can apply.
import type { ConflictExplanation, DeniedExplanation, ExplainedConflict, NearestBinding } from '../api/explanation.ts'
import { jsonText } from '../api/json-text.ts'
import type { StatusDetails } from '../api/status.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { emitYaml } from '../codec/yaml-emit.ts'
import { inOneLine } from './output.ts'
import { bindingOf, roleOf } from './role-manifests.ts'

export interface Refusal {
  readonly message: string
  readonly details: StatusDetails
  /** The user of the request, if the message does not name it. */
  readonly user: string | undefined
  /** Undefined: the request did not ask for an explanation. */
  readonly explanation: DeniedExplanation | ConflictExplanation | undefined
}

/** Explains a 403. Throws if the message is not the message of a 403. */
export function deniedText({ message, details, user, explanation }: Refusal): string {
  const told = deniedIn(message, details.name)
  const denied = explanation !== undefined && !('conflicts' in explanation) ? explanation : told
  const who = user ?? told?.user
  if (denied === undefined || who === undefined)
    throw new Error('the text is not the refusal of a request: is it a 403?')
  const { missingRule: rule, namespace = '', nearestBinding } = denied
  if (rule === undefined) return comments(['An authorizer has denied it: no role would help.', message])
  const name = roleName(rule)
  const place = { name, namespace }
  return [
    comments([
      `${who} cannot ${described(rule)}${namespace === '' ? '' : ` in the namespace ${namespace}`}.`,
      ...(nearestBinding === undefined ? [] : [nearestText(nearestBinding)]),
      'This would allow it:',
    ]),
    emitYaml(roleOf({ ...place, rules: [rule] })),
    '---\n',
    emitYaml(bindingOf({ ...place, user: who })),
  ].join('')
}

interface ToldDenial extends DeniedExplanation {
  readonly user: string
}

const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`
const RESOURCE = new RegExp(
  `User ${QUOTED} cannot (\\S+) resource ${QUOTED} in API group ${QUOTED} (?:at the cluster scope|in the namespace ${QUOTED})`,
)
const PATH = new RegExp(`User ${QUOTED} cannot (\\S+) path ${QUOTED}`)
const NAME = new RegExp(`\\S+ ${QUOTED} is forbidden: User`)

/** Reads the message of a 403, which has the reference's words. */
function deniedIn(message: string, name = NAME.exec(message)?.[1]): ToldDenial | undefined {
  const path = PATH.exec(message)
  if (path !== null) {
    const [, user = '', verb = '', url = ''] = path
    return { user, missingRule: { verbs: [verb], nonResourceURLs: [url] } }
  }
  const found = RESOURCE.exec(message)
  if (found === null) return undefined
  const [, user = '', verb = '', resource = '', group = '', namespace] = found
  const named = name === undefined ? {} : { resourceNames: [name] }
  return {
    user,
    missingRule: { verbs: [verb], apiGroups: [group], resources: [resource], ...named },
    ...(namespace === undefined ? {} : { namespace }),
  }
}

function described({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: ValueMap): string {
  const [verb = '', group = '', resource = '', name, path] = [
    verbs,
    apiGroups,
    resources,
    resourceNames,
    nonResourceURLs,
  ].map(first)
  if (path !== undefined) return `${verb} ${path}`
  return `${verb} ${resource}${group === '' ? '' : ` of ${group}`}${name === undefined ? '' : ` ${JSON.stringify(name)}`}`
}

function first(list: Value | undefined): string | undefined {
  return (list as readonly string[] | undefined)?.[0]
}

/** `list-deployments-scale` */
function roleName({ verbs, resources, nonResourceURLs }: ValueMap): string {
  const words = `${first(verbs) ?? ''}-${first(resources) ?? first(nonResourceURLs) ?? ''}`
  return words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

function nearestText({ kind, name, namespace, role, subject, rule, lacks }: NearestBinding): string {
  const where = namespace === undefined ? '' : ` in ${namespace}`
  const what = `${kind} ${JSON.stringify(name)}${where} of ${role.kind} ${JSON.stringify(role.name)} to ${subject}`
  const missing = lacks.includes('namespace')
    ? 'is for another namespace'
    : `does not have these ${lacks.join(' and ')}`
  return `The nearest binding is ${what}: ${jsonText(rule)} ${missing}.`
}

function comments(lines: readonly string[]): string {
  return lines.map((line) => `# ${inOneLine(line)}\n`).join('')
}

/** Explains a conflict of an apply. Throws for any other refusal. */
export function conflictText({ message, details, explanation }: Refusal): string {
  if (explanation !== undefined && 'conflicts' in explanation) {
    const ways = explanation.waysOut.map((way, i) => `  ${i + 1}. ${inOneLine(way)}\n`)
    return `${explanation.conflicts.map(fieldText).join('\n')}\nWays out:\n${ways.join('')}`
  }
  const causes = (details.causes ?? []).filter(({ reason }) => reason === 'FieldManagerConflict')
  if (causes.length === 0) throw new Error(`the text is not a conflict of an apply: ${inOneLine(message)}`)
  const lines = causes.map(({ field = '', message: owner = '' }) => `${inOneLine(field)}: ${inOneLine(owner)}\n`)
  return `${lines.join('')}\nTo see the values: quarterdeck explain conflict --apply FILE\n`
}

function fieldText({ field, owner, ...values }: ExplainedConflict): string {
  const { manager, operation, apiVersion, subresource, time } = owner
  const through = subresource === undefined ? '' : ` through ${subresource}`
  const when = time === undefined ? '' : ` at ${time}`
  const shown = (value: Value | undefined): string => (value === undefined ? '(not shown)' : inOneLine(jsonText(value)))
  return [
    inOneLine(field),
    `  stored   ${shown(values.current)}`,
    `  applied  ${shown(values.applied)}`,
    `  owner    ${inOneLine(`${JSON.stringify(manager)}, ${operation} of ${apiVersion}${through}${when}`)}\n`,
  ].join('\n')
}
