// The chain of authorizers, from the configuration, and the informers that feed RBAC and the Node authorizer.
import { type ApiLevel, isAtLevel, type LevelSpan } from '../api/level.ts'
import type { Rights } from '../api/reach.ts'
import { accessPolicies } from '../auth/access-policy-file.ts'
import {
  allowAll,
  allowMasters,
  allowPublicPaths,
  type Authorizer,
  chain,
  denyAll,
  withNamedReasons,
} from '../auth/authorizer.ts'
import { explainDenied } from '../auth/denied-explanation.ts'
import { nodeAuthorizer } from '../auth/node-authorizer.ts'
import { type AuthMeasures, countDecisions } from '../auth/measures.ts'
import { RbacIndex, type RbacKind } from '../auth/rbac-index.ts'
import { rbacAuthorizer } from '../auth/rbac.ts'
import { clusterRoleRules, type MadeRole } from '../controllers/bootstrap-roles.ts'
import { type ControllerParts } from '../controllers/controllers.ts'
import { egressPolicy, type EgressRules } from '../outgoing/egress-policy.ts'
import type { Log } from '../lib/log.ts'
import type { Tracing } from '../lib/tracing.ts'
import { compareStrings } from '../lib/text-order.ts'
import { together } from '../lib/together.ts'
import { OutgoingCaller } from '../outgoing/call.ts'
import type { OutgoingMeasures } from '../outgoing/measures.ts'
import type { ReviewFunction } from '../outgoing/webhook-client.ts'
import type { AuthorizationMode, AuthorizerConfig } from '../config/authorization-file.ts'
import { type AuthorizationSettings, modesOf, readAuthorizers } from '../config/authorization-config.ts'
import {
  type AuthorizerFunction,
  authorizerFunction,
  openAuthorizationWebhook,
} from '../config/authorization-webhooks.ts'
import { readFileAs, readTextFile } from '../config/files.ts'
import { NodeGraphInformer } from '../controllers/node-graph.ts'
import type { ReloadRequests } from '../config/reload-requests.ts'
import { followContent, type OnReload } from '../config/reloaded-files.ts'
import { StartError } from '../config/start-error.ts'
import { type InformerHandler, runInformer } from '../controllers/informer.ts'
import { servedResource } from '../registry/served-resource.ts'

const RBAC_RESOURCES: Readonly<Record<RbacKind, string>> = {
  ClusterRole: 'clusterroles',
  Role: 'roles',
  ClusterRoleBinding: 'clusterrolebindings',
  RoleBinding: 'rolebindings',
}

export interface Authorization {
  readonly authorizer: Authorizer
  readonly rbac: RbacIndex
  readonly rights: Rights
  /** Adds a function that decides before all authorizers of the configuration. Returns a function that removes it again. */
  readonly addFunction: (authorizer: AuthorizerFunction, answer: ReviewFunction) => () => void
  /**
   * Follows the stored objects until the signal fires. If the cache is lost, the last known state stays. `revision`: the newest revision
   * that watches may have sent.
   */
  follow(parts: ControllerParts, revision: () => number, signal: AbortSignal): Promise<void>
  /** Resolves when all roles and bindings that were stored at the start are known, and `roles` too, or when the signal fires. */
  untilKnown(roles: readonly MadeRole[], signal: AbortSignal): Promise<void>
}

export interface AuthorizationParts {
  readonly settings: AuthorizationSettings
  readonly level: ApiLevel
  readonly gates: ReadonlySet<string>
  readonly egress: EgressRules
  readonly measures: AuthMeasures
  readonly outgoing: OutgoingMeasures
  readonly tracing: Tracing | undefined
  readonly log: Log
  readonly reloads: ReloadRequests
}

const FILE_FLAG = '--authorization-config'
const RELOAD = { what: 'authorization configuration', everyMs: 10_000, level: 'error' } as const
/** At these levels a refusal names the authorizer of each reason. */
const NAMED_REASONS: LevelSpan = { since: '1.37' }

/**
 * Opens the chain: first the rule for administrators, then added functions, then the configured authorizers in order. Throws a `StartError`
 * if one of them cannot be opened.
 */
export function openAuthorization(given: AuthorizationParts): Authorization {
  const { settings, level, egress, measures, outgoing, tracing, log } = given
  const rbac = new RbacIndex()
  const nodes = new NodeGraphInformer()
  // Read at the first request of a node: most servers in tests have no nodes.
  let nodeRules: ReturnType<typeof clusterRoleRules> | undefined
  // The operator names these servers, not a user, so they may run on this machine.
  const caller = new OutgoingCaller({
    egress: egressPolicy({ ...egress, loopback: true }),
    measures: outgoing,
    tracing,
  })
  const waiting = new Set<() => void>()
  let isLoaded = false
  // Until the roles are known, only the public paths are allowed. So probes are answered from the first moment on.
  const meanwhile = allowPublicPaths()
  const roles = rbacAuthorizer(rbac)
  const byRoles: Authorizer = {
    ...roles,
    authorize: (access, signal) => (isLoaded ? roles : meanwhile).authorize(access, signal),
  }
  const modes: Readonly<Record<Exclude<AuthorizationMode, 'Webhook'>, () => Authorizer>> = {
    AlwaysAllow: allowAll,
    AlwaysDeny: denyAll,
    ABAC: () => readPolicies(settings.policyFile),
    Node: () =>
      nodeAuthorizer({ graph: nodes.get, rules: () => (nodeRules ??= clusterRoleRules('system:node', given)) }),
    RBAC: () => byRoles,
  }
  const asNamed = isAtLevel(level, NAMED_REASONS)
    ? withNamedReasons
    : (authorizer: Authorizer): Authorizer => authorizer
  const open = (authorizer: AuthorizerConfig): Authorizer => {
    const { name } = authorizer
    const [type, opened] =
      authorizer.kind === 'mode'
        ? [authorizer.mode, modes[authorizer.mode]()]
        : ['Webhook', openAuthorizationWebhook(authorizer.webhook, caller)]
    return countDecisions(asNamed(opened, name), { type, name }, measures)
  }
  const functions = new Map<Authorizer, string>()
  let configured = settings.authorizers.map(open)
  const chained = (): Authorizer => chain([allowMasters(), ...inOrder(functions), ...configured])
  let current = chained()
  if (modesOf(settings).includes('AlwaysAllow'))
    log.warn({}, 'authorization mode AlwaysAllow is on: every request is allowed')
  const listeners = new Set<() => void>()
  let changedAt = Infinity
  let newest = (): number => Infinity
  const onRights = (): void => {
    changedAt = newest()
    for (const listener of listeners) listener()
  }
  const onChange = (isComplete: boolean): void => {
    isLoaded ||= isComplete
    for (const check of waiting) check()
    onRights()
  }
  return {
    authorizer: {
      authorize: (access, signal) => current.authorize(access, signal),
      rulesFor: (user, namespace) => current.rulesFor!(user, namespace),
      reachOf: (access) => current.reachOf!(access),
      ...(modesOf(settings).includes('RBAC')
        ? { explain: (denied, signal) => explainDenied(denied, { index: rbac, authorizer: current }, signal) }
        : {}),
    },
    rbac,
    rights: {
      changedAt: () => changedAt,
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    addFunction(options, answer) {
      const name = { type: 'Webhook', name: options.name }
      const authorizer = countDecisions(asNamed(authorizerFunction(options, answer), options.name), name, measures)
      functions.set(authorizer, options.name)
      current = chained()
      onRights()
      return () => {
        functions.delete(authorizer)
        current = chained()
        onRights()
      }
    },
    untilKnown: (wanted, signal) =>
      new Promise((resolve) => {
        const missing = [...wanted]
        const check = (): void => {
          while (missing.length > 0 && isKnown(rbac, missing.at(-1)!)) missing.pop()
          if (!signal.aborted && (!isLoaded || missing.length > 0)) return
          waiting.delete(check)
          signal.removeEventListener('abort', check)
          resolve()
        }
        waiting.add(check)
        signal.addEventListener('abort', check, { once: true })
        check()
      }),
    async follow(parts, revision, signal) {
      newest = revision
      const use = (authorizers: readonly AuthorizerConfig[]): void => {
        configured = authorizers.map(open)
        current = chained()
        onRights()
      }
      await together(signal, (until) => [
        followRoles(parts, rbac, until, onChange),
        nodes.run(parts, until),
        readAgain(given, until, use),
      ])
      caller[Symbol.dispose]()
    },
  }
}

/** Sorts the functions by name. Functions with equal names stay in the order in which they were added. */
function inOrder(functions: ReadonlyMap<Authorizer, string>): readonly Authorizer[] {
  return [...functions].sort(([, a], [, b]) => compareStrings(a, b)).map(([authorizer]) => authorizer)
}

function readPolicies(file: string | undefined): Authorizer {
  const flag = '--authorization-policy-file'
  if (file === undefined) throw new StartError(`authorization mode ABAC requires ${flag}`)
  return readFileAs(file, flag, accessPolicies)
}

/** Applies a changed file. A faulty file changes nothing (P-174). */
async function readAgain(
  { settings, log, measures, reloads }: AuthorizationParts,
  signal: AbortSignal,
  use: (authorizers: readonly AuthorizerConfig[]) => void,
): Promise<void> {
  const { file } = settings
  if (file === undefined) return
  const known = new Set(modesOf(settings))
  const read = (): string => readTextFile(file, FILE_FLAG)
  const reread = (): void => {
    const authorizers = readAuthorizers(file)
    const added = modesOf({ ...settings, authorizers }).find((mode) => mode !== 'Webhook' && !known.has(mode))
    if (added !== undefined) throw new StartError(`adding ${added} requires a restart`)
    use(authorizers)
  }
  const onReload: OnReload = (status) => void measures.reloads.of(status).value++
  const content = { ...RELOAD, files: [file], current: read(), read, use: reread, onReload, reloads, log }
  await followContent({ ...content, fields: { file } }, signal)
}

function isKnown(index: RbacIndex, { kind, namespace, name }: MadeRole): boolean {
  return index.has(kind as RbacKind, namespace, name)
}

async function followRoles(
  parts: ControllerParts,
  index: RbacIndex,
  signal: AbortSignal,
  onChange: (isComplete: boolean) => void,
): Promise<void> {
  const missing = new Set(Object.keys(RBAC_RESOURCES) as RbacKind[])
  const followKind = (kind: RbacKind, until: AbortSignal): Promise<void> => {
    const handler: InformerHandler = {
      onPresent: (object) => {
        if (kind === 'ClusterRole' || kind === 'Role') index.putUnread(kind, object)
        else index.put(kind, object.object())
        onChange(false)
      },
      onGone: ({ namespace, name }) => {
        index.remove(kind, namespace, name)
        onChange(false)
      },
      onSynced: () => {
        missing.delete(kind)
        onChange(missing.size === 0)
      },
    }
    const resource = servedResource(parts.resources(), RBAC_RESOURCES[kind], 'rbac.authorization.k8s.io')
    return runInformer(parts.registry.store, resource, handler, until)
  }
  await together(signal, (until) => [...missing].map((kind) => followKind(kind, until)))
}
