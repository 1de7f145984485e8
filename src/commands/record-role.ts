// `quarterdeck record-role`: an audit log in, the smallest roles out that would have allowed what it has of a user; or what is written to
// it until Ctrl-C.
import { unescape } from 'node:querystring'
import { parseArgs } from 'node:util'
import { jsonOrAbsent } from '../api/json-text.ts'
import { mapOrAbsent, mapOrEmpty, textOrEmpty } from '../api/members.ts'
import { ruleDocument } from '../api/policy-rule.ts'
import { isMap, own, type ValueMap } from '../api/value.ts'
import { allows, type RecordedRole, recordedRoles, type SeenAccess } from '../auth/role-recording.ts'
import { emitYaml } from '../codec/yaml-emit.ts'
import { reasonOf, usageError } from '../config/start-error.ts'
import { clusterRoleRules } from '../controllers/bootstrap-roles.ts'
import { parseQuery } from '../http/query.ts'
import { requestInfoOf } from '../http/request-info.ts'
import { followLines } from './followed-lines.ts'
import { inputName, linesOf } from './input.ts'
import { bindingOf, roleOf } from './role-manifests.ts'
import { stopSignal } from './stop-signal.ts'

/** Resolves with the exit code: 1 where there is nothing of the user, or the log cannot be read. */
export async function runRecordRole(args: readonly string[]): Promise<number> {
  const flags = parse(args)
  try {
    const sessions = new Sessions()
    if (flags.follow) await follow(flags.files, sessions)
    else for (const file of flags.files) for await (const line of linesOf(file)) sessions.add(line)
    const user = flags.user ?? sessions.onlyUser()
    const seen = sessions.of(user).filter((access) => !isForEveryone(access))
    if (seen.length === 0) throw new Error(`the log has no requests of ${user} that need a role`)
    const roles = recordedRoles(flags.anyName ? seen.map(withoutName) : seen)
    process.stdout.write(
      roles
        .flatMap((role) => manifestsOf(role, user, flags))
        .map(emitYaml)
        .join('---\n'),
    )
    return 0
  } catch (error) {
    process.stderr.write(`quarterdeck record-role: ${reasonOf(error)}\n`)
    return 1
  }
}

/** Until it is told to stop. */
async function follow(files: readonly string[], sessions: Sessions): Promise<void> {
  const stop = stopSignal()
  const followed = await Promise.all(files.map((file) => followLines(file, stop)))
  process.stderr.write(`recording what is written to ${files.map(inputName).join(', ')}; Ctrl-C prints the roles\n`)
  await Promise.all(
    followed.map(async (lines) => {
      for await (const line of lines) sessions.add(line)
    }),
  )
}

interface RecordFlags {
  readonly user: string | undefined
  readonly name: string
  readonly bind: boolean
  readonly anyName: boolean
  readonly follow: boolean
  readonly files: readonly string[]
}

function parse(args: readonly string[]): RecordFlags {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        user: { type: 'string' },
        name: { type: 'string', default: 'recorded' },
        bind: { type: 'boolean', default: false },
        'any-name': { type: 'boolean', default: false },
        follow: { type: 'boolean', short: 'f', default: false },
      },
    })
    const { user, name, bind, 'any-name': anyName, follow: isFollowed } = values
    return { user, name, bind, anyName, follow: isFollowed, files: positionals.length === 0 ? ['-'] : positionals }
  } catch (error) {
    throw usageError(`${reasonOf(error)}; see quarterdeck record-role --help`)
  }
}

/** What each user has asked for, each thing once: logs are long, and sessions repeat themselves. */
class Sessions {
  readonly #byUser = new Map<string, Map<string, SeenAccess>>()

  /** A line of the log. The last may still be being written, and is no event then. */
  add(line: string): void {
    const event = jsonOrAbsent(line)
    if (!isMap(event) || own(event, 'kind') !== 'Event') return
    const user = userOf(event)
    const seen = this.#byUser.get(user) ?? new Map<string, SeenAccess>()
    this.#byUser.set(user, seen)
    for (const access of accessesOf(event)) seen.set(JSON.stringify(access), access)
  }

  of(user: string): readonly SeenAccess[] {
    return [...(this.#byUser.get(user)?.values() ?? [])]
  }

  onlyUser(): string {
    const [user, ...others] = [...this.#byUser.keys()].toSorted()
    if (user === undefined) throw new Error('the log has no events')
    if (others.length === 0) return user
    throw new Error(`say whose requests with --user: the log has those of ${[user, ...others].join(', ')}`)
  }
}

/** Rights are those of the user who is impersonated. */
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
      // The name of what is to be made stands in the body, which authorization does not see.
      return [{ ...access, name: subresource === '' ? '' : access.name }]
    case 'deletecollection':
      return [{ ...access, name: '' }]
    case 'list':
    case 'watch': {
      const info = requestInfoOf('GET', path, parseQuery(search))
      return [{ ...access, name: (info.kind === 'resource' ? (info.name ?? info.selectedName) : undefined) ?? '' }]
    }
    default: {
      // A PUT or an apply of what was not there takes the right to create it besides.
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

function manifestsOf({ namespace, rules }: RecordedRole, user: string, { name, bind }: RecordFlags): ValueMap[] {
  const role = roleOf({ name, namespace, rules: rules.map(ruleDocument) })
  return bind ? [role, bindingOf({ name, namespace, user })] : [role]
}
