// Explains why a request is forbidden: the missing rule, and the binding of the user that comes closest to it. The rule has only facts of
// the request. Only users who may list bindings and roles see the binding.
import type { DeniedExplanation, NearestBinding } from '../api/explanation.ts'
import { allowsPath, allowsResource, type PolicyRule, ruleDocument } from '../api/policy-rule.ts'
import type { User } from '../api/user.ts'
import type { Access, Authorizer, DeniedAccess, ResourceAccess } from './authorizer.ts'
import type { Binding, Grant, GrantedRoles, RbacIndex } from './rbac-index.ts'
import { namespaceOf } from './rbac.ts'

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const

/** `authorizer` decides which bindings and roles the reader may list. */
export async function explainDenied(
  { access, decision, reader }: DeniedAccess,
  { index, authorizer }: { readonly index: RbacIndex; readonly authorizer: Authorizer },
  signal: AbortSignal,
): Promise<DeniedExplanation> {
  if (decision.kind === 'deny') return {}
  const mayList = listRights(authorizer, reader, signal)
  const nearest = await nearestBinding(access, index, mayList)
  const namespace = namespaceOf(access)
  return {
    missingRule: ruleDocument(missingRule(access)),
    ...(namespace === '' ? {} : { namespace }),
    ...(nearest === undefined ? {} : { nearestBinding: nearest }),
  }
}

function missingRule(access: Access): PolicyRule {
  const rule = { verbs: [access.verb], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }
  if (access.kind === 'path') return { ...rule, nonResourceURLs: [access.path] }
  const { group, name } = access
  return { ...rule, apiGroups: [group], resources: [fullName(access)], resourceNames: name === undefined ? [] : [name] }
}

function fullName({ resource, subresource = '' }: ResourceAccess): string {
  return subresource === '' ? resource : `${resource}/${subresource}`
}

type MayList = (resource: string, namespace: string) => Promise<boolean>

/** Returns a function that checks each right once. */
function listRights(authorizer: Authorizer, user: User, signal: AbortSignal): MayList {
  const known = new Map<string, Promise<boolean>>()
  const ask = async (resource: string, namespace: string): Promise<boolean> => {
    const access = { kind: 'resource', user, verb: 'list', ...RBAC, resource, namespace } as const
    return (await authorizer.authorize(access, signal)).kind === 'allow'
  }
  return (resource, namespace) => {
    const key = `${resource}/${namespace}`
    const answer = known.get(key) ?? ask(resource, namespace)
    known.set(key, answer)
    return answer
  }
}

/**
 * The binding in the namespace or the cluster that is nearest to the request, or a binding in another namespace that would allow the
 * request. Undefined: there is none that the reader may see.
 */
async function nearestBinding(access: Access, index: RbacIndex, mayList: MayList): Promise<NearestBinding | undefined> {
  const { user } = access
  const namespace = namespaceOf(access)
  const here = rulesIn(index.grantsOf(user, namespace)).flatMap((granted) => candidate(granted, access))
  for (const found of here.toSorted((a, b) => a.lacks.length - b.lacks.length)) {
    if (await mayKnow(found.granted.binding, mayList)) return shown(found)
  }
  const mayListAll = (await mayList('rolebindings', '')) && (await mayList('roles', ''))
  if (!mayListAll || namespace === '') return undefined
  const elsewhere = rulesIn(index.grantsElsewhere(user, namespace))
  const granted = elsewhere.find(({ rule }) => lacksOf(rule, access).length === 0)
  if (granted === undefined || !(await mayKnow(granted.binding, mayList))) return undefined
  return shown({ granted, lacks: ['namespace'] })
}

/** An explanation compares with this many rules at most: the user may have very many. */
const MOST_RULES = 2000

interface GrantedRule extends Pick<Grant, 'binding' | 'subject'> {
  readonly rule: PolicyRule
}

function rulesIn(granted: Iterable<GrantedRoles>): readonly GrantedRule[] {
  const found: GrantedRule[] = []
  for (const { grants } of granted) {
    for (const { rules, binding, subject } of grants) {
      for (const rule of rules.all) {
        if (found.length === MOST_RULES) return found
        found.push({ rule, binding, subject })
      }
    }
  }
  return found
}

async function mayKnow({ kind, namespace, role }: Binding, mayList: MayList): Promise<boolean> {
  const bindings = kind === 'RoleBinding' ? 'rolebindings' : 'clusterrolebindings'
  const [roles, place] = role.kind === 'Role' ? ['roles', namespace] : ['clusterroles', '']
  return (await mayList(bindings, namespace)) && (await mayList(roles, place))
}

interface Candidate {
  readonly granted: GrantedRule
  readonly lacks: readonly string[]
}

/** The rule, if it is about the resource, a subresource of it, or the path. */
function candidate(granted: GrantedRule, access: Access): readonly Candidate[] {
  const { rule } = granted
  const isAbout =
    access.kind === 'path'
      ? allowsPath({ ...rule, verbs: ['*'] }, access.verb, access.path)
      : holds(rule.apiGroups, access.group) &&
        rule.resources.some((each) => each === '*' || each.split('/', 1)[0] === access.resource)
  return isAbout ? [{ granted, lacks: lacksOf(rule, access) }] : []
}

function lacksOf(rule: PolicyRule, access: Access): readonly string[] {
  const missing = missingRule(access)
  const parts = access.kind === 'path' ? (['verbs', 'nonResourceURLs'] as const) : RULE_PARTS
  const allows = (tried: PolicyRule): boolean =>
    access.kind === 'path' ? allowsPath(tried, access.verb, access.path) : allowsResource(tried, access)
  // A part is lacking if the missing rule, with this part of the grant in it, does not allow the access.
  return parts.filter((part) => !allows({ ...missing, [part]: rule[part] }))
}

const RULE_PARTS = ['verbs', 'apiGroups', 'resources', 'resourceNames'] as const

function holds(list: readonly string[], wanted: string): boolean {
  return list.includes('*') || list.includes(wanted)
}

function shown({ granted, lacks }: Candidate): NearestBinding {
  const { binding, rule, subject } = granted
  const { kind, name, namespace, role } = binding
  return { kind, name, ...(namespace === '' ? {} : { namespace }), role, subject, rule: ruleDocument(rule), lacks }
}
