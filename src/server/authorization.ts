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
import { readTextFile } from '../config/files.ts'
import { NodeGraphInformer } from '../controllers/node-graph.ts'
import type { ReloadRequests } from '../config/reload-requests.ts'
import { reloadFiles } from '../config/reloaded-files.ts'
import { reasonOf, StartError } from '../config/start-error.ts'
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
  /** A function that is called before all authorizers of the configuration. Returns how to remove it. */
  readonly addFunction: (authorizer: AuthorizerFunction, answer: ReviewFunction) => () => void
  /**
   * Follows the stored objects until the signal fires. If the cache is lost, the last known state stays. `revision`: the newest revision that
   * watches may have sent.
   */
  follow(parts: ControllerParts, revision: () => number, signal: AbortSignal): Promise<void>
  /** Resolves when everything that was stored at the start is known, and these roles and bindings too. */
  untilKnown(roles: readonly MadeRole[], signal: AbortSignal): Promise<void>
}

export interface AuthorizationParts {
  readonly settings: AuthorizationSettings
  readonly level: ApiLevel
  readonly egress: EgressRules
  readonly measures: AuthMeasures
  readonly outgoing: OutgoingMeasures
  readonly tracing: Tracing | undefined
  readonly log: Log
  readonly reloads: ReloadRequests
}

const FILE_FLAG = '--authorization-config'
const LOOK_AGAIN_MS = 10_000
/** At these levels a refusal names the authorizer of each reason. */
const NAMED_REASONS: LevelSpan = { since: '1.37' }

/** Administrators first, then the authorizers in order. Throws a `StartError` if one of them cannot be opened. */
export function openAuthorization(given: AuthorizationParts): Authorization {
  const { settings, level, egress, measures, outgoing, tracing, log } = given
  const rbac = new RbacIndex()
  const nodes = new NodeGraphInformer()
  // Read when the first node asks: most servers of a test have none.
  let nodeRules: ReturnType<typeof clusterRoleRules> | undefined
  // The operator names these servers, not a user, so they may run on this machine.
  const caller = new OutgoingCaller({
    egress: egressPolicy({ ...egress, loopback: true }),
    measures: outgoing,
    tracing,
  })
  const waiting = new Set<() => void>()
  let isLoaded = false
  // Probes are answered from the first moment on, before any role exists.
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
      nodeAuthorizer({ graph: nodes.get, rules: () => (nodeRules ??= clusterRoleRules('system:node', level)) }),
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

/** In the order of their names, and for equal names in the order of addition. */
function inOrder(functions: ReadonlyMap<Authorizer, string>): readonly Authorizer[] {
  return [...functions].sort(([, a], [, b]) => compareStrings(a, b)).map(([authorizer]) => authorizer)
}

function readPolicies(file: string | undefined): Authorizer {
  const flag = '--authorization-policy-file'
  if (file === undefined) throw new StartError(`authorization mode ABAC requires ${flag}`)
  const text = readTextFile(file, flag)
  try {
    return accessPolicies(text)
  } catch (error) {
    throw new StartError(`${flag} ${file}: ${reasonOf(error)}`, { cause: error })
  }
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
  let current = readTextFile(file, FILE_FLAG)
  const look = (): void => {
    const now = readTextFile(file, FILE_FLAG)
    if (now === current) return
    const authorizers = readAuthorizers(file)
    const added = modesOf({ ...settings, authorizers }).find((mode) => mode !== 'Webhook' && !known.has(mode))
    if (added !== undefined) throw new StartError(`adding ${added} requires a restart`)
    use(authorizers)
    current = now
    measures.reloads.of('success').value++
    log.info({ file }, 'reloaded authorization configuration')
  }
  const onProblem = (error: unknown): void => {
    measures.reloads.of('failure').value++
    log.error({ err: error, file }, 'could not reload authorization configuration; keeping the previous one')
  }
  await reloadFiles({ files: [file], everyMs: LOOK_AGAIN_MS, reloads, look, onProblem }, signal)
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
        index.put(kind, object.object())
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
