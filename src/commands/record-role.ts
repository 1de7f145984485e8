// `quarterdeck record-role`: reads an audit log, or follows it until Ctrl-C, and prints the smallest roles for the requests of a user.
import { unescape } from 'node:querystring'
import { jsonOrAbsent } from '../api/json-text.ts'
import { mapOrAbsent, mapOrEmpty, textOrEmpty } from '../api/members.ts'
import { ruleDocument } from '../api/policy-rule.ts'
import { isMap, own, type ValueMap } from '../api/value.ts'
import { allows, type RecordedRole, recordedRoles, type SeenAccess } from '../auth/role-recording.ts'
import { emitYaml } from '../codec/yaml-emit.ts'
import { failureOf } from '../config/start-error.ts'
import { clusterRoleRules } from '../controllers/bootstrap-roles.ts'
import { parseQuery } from '../http/query.ts'
import { requestInfoOf } from '../http/request-info.ts'
import { getOrInsert } from '../lib/map-entries.ts'
import { readCommandLine } from './command-flags.ts'
import { followLines } from './followed-lines.ts'
import { inputName, linesOf } from './input.ts'
import { complain, printDocument } from './output.ts'
import { bindingOf, roleOf } from './role-manifests.ts'
import { stopSignal } from './stop-signal.ts'

/** The exit code is 1 if the log has no requests of the user or cannot be read. */
export async function runRecordRole(args: readonly string[]): Promise<number> {
  const { read, operands } = readCommandLine('record-role', args, { most: Infinity })
  const files = operands.length === 0 ? ['-'] : operands
  try {
    const sessions = new Sessions()
    if (read.switch('follow')) await follow(files, sessions)
    else for (const file of files) for await (const line of linesOf(file)) sessions.add(line)
    const user = read.text('user') ?? sessions.onlyUser()
    const seen = sessions.of(user).filter((access) => !isForEveryone(access))
    if (seen.length === 0) throw new Error(`the log has no requests of ${user} that need a role`)
    const roles = recordedRoles(read.switch('any-name') ? seen.map(withoutName) : seen)
    const named = { name: read.required('name').text, bind: read.switch('bind') }
    const manifests = roles.flatMap((role) => manifestsOf(role, user, named))
    await printDocument(manifests.map(emitYaml).join('---\n'))
    return 0
  } catch (error) {
    complain(`quarterdeck record-role: ${failureOf(error)}\n`)
    return 1
  }
}

/** Reads until SIGINT or SIGTERM. */
async function follow(files: readonly string[], sessions: Sessions): Promise<void> {
  const stop = stopSignal()
  const followed = await Promise.all(files.map((file) => followLines(file, stop)))
  complain(`recording what is written to ${files.map(inputName).join(', ')}; Ctrl-C prints the roles\n`)
  await Promise.all(
    followed.map(async (lines) => {
      for await (const line of lines) sessions.add(line)
    }),
  )
}

/** The requests of each user, without repetitions: logs are long. */
class Sessions {
  readonly #byUser = new Map<string, Map<string, SeenAccess>>()

  /** Adds a line of the log. The last line may be incomplete, and is ignored then. */
  add(line: string): void {
    const event = jsonOrAbsent(line)
    if (!isMap(event) || own(event, 'kind') !== 'Event') return
    const user = userOf(event)
    const seen = getOrInsert(this.#byUser, user, () => new Map<string, SeenAccess>())
    for (const access of accessesOf(event)) seen.set(JSON.stringify(access), access)
  }

  of(user: string): readonly SeenAccess[] {
    return [...(this.#byUser.get(user)?.values() ?? [])]
  }

  onlyUser(): string {
    const [user, ...others] = [...this.#byUser.keys()].toSorted()
    if (user === undefined) throw new Error('the log has no events')
    if (others.length === 0) return user
    throw new Error(`name a user with --user: the log has requests of ${[user, ...others].join(', ')}`)
  }
}

/** The impersonated user counts, because its rights do. */
function userOf(event: ValueMap): string {
  return textOrEmpty(mapOrAbsent(event, 'impersonatedUser') ?? mapOrEmpty(event, 'user'), 'username')
}

function accessesOf(event: ValueMap): readonly SeenAccess[] {
  const verb = textOrEmpty(event, 'verb')
  const [path = '', search = ''] = textOrEmpty(event, 'requestURI').split('?', 2)
  const place = mapOrAbsent(event, 'objectRef')
  if (verb === '') return []
  if (place === undefined) return [{ kind: 'path', verb, path: unescape(path) }]
  const subresource = textOrEmpty(place, 'subresource')
  const access = {
    kind: 'resource',
    verb,
    group: textOrEmpty(place, 'apiGroup'),
    resource: textOrEmpty(place, 'resource'),
    subresource,
    namespace: textOrEmpty(place, 'namespace'),
    name: textOrEmpty(place, 'name'),
  } as const
  switch (verb) {
    case 'create':
      // The name of the new object is in the body, which authorization does not see.
      return [{ ...access, name: subresource === '' ? '' : access.name }]
    case 'deletecollection':
      return [{ ...access, name: '' }]
    case 'list':
    case 'watch': {
      const info = requestInfoOf('GET', path, parseQuery(search))
      return [{ ...access, name: (info.kind === 'resource' ? (info.name ?? info.selectedName) : undefined) ?? '' }]
    }
    default: {
      // A PUT or an apply that creates an object also needs the right to create.
      const hasCreated = own(mapOrEmpty(event, 'responseStatus'), 'code') === 201
      return hasCreated ? [access, { ...access, verb: 'create' }] : [access]
    }
  }
}

function withoutName(access: SeenAccess): SeenAccess {
  return access.kind === 'resource' ? { ...access, name: '' } : access
}

const EVERYONES_ROLES = ['system:basic-user', 'system:discovery', 'system:public-info-viewer'] as const

function isForEveryone(access: SeenAccess): boolean {
  return EVERYONES_ROLES.some((role) => clusterRoleRules(role).some((rule) => allows(rule, access)))
}

function manifestsOf(
  { namespace, rules }: RecordedRole,
  user: string,
  { name, bind }: { readonly name: string; readonly bind: boolean },
): ValueMap[] {
  const role = roleOf({ name, namespace, rules: rules.map(ruleDocument) })
  return bind ? [role, bindingOf({ name, namespace, user })] : [role]
}
