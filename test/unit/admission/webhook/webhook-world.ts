// Webhooks with a real server behind them, in front of a few kinds that need no registry.
import { SILENT_LOG } from '../../../../src/lib/log.ts'
import type { AdmissionPlugin, AdmissionRequest, MutatingWalk } from '../../../../src/admission/admission.ts'
import { admitInOrder } from '../../../../src/admission/chain.ts'
import type { ObjectReader } from '../../../../src/admission/object-reader.ts'
import {
  openMutatingWebhooks,
  openValidatingWebhooks,
  type ServedKind,
  type WebhookCall,
  type WebhookRejection,
} from '../../../../src/admission/webhook/webhook.ts'
import type { ApiObject } from '../../../../src/api/object.ts'
import { ApiError } from '../../../../src/api/status.ts'
import type { Value } from '../../../../src/api/value.ts'
import { allowAll } from '../../../../src/auth/authorizer.ts'
import { egressPolicy } from '../../../../src/outgoing/egress-policy.ts'
import { OutgoingCaller } from '../../../../src/outgoing/call.ts'
import { OutgoingCallError } from '../../../../src/outgoing/failure.ts'
import { applyJsonPatch } from '../../../../src/patch/json-patch.ts'
import { openWebhookServer, type WebhookServer } from '../../../fakes/webhook-server.ts'
import { requestFor } from '../request-for.ts'

export type { AdmissionRequest, MutatingWalk }

export interface WebhookWorld extends AsyncDisposable {
  readonly server: WebhookServer
  readonly observed: { readonly calls: WebhookCall[]; readonly rejections: WebhookRejection[]; readonly open: string[] }
  readonly warnings: string[]
  readonly annotations: Record<string, string>
  /** Plugins that run before the webhooks. */
  readonly before: AdmissionPlugin[]
  mutating(name: string, ...webhooks: object[]): void
  validating(name: string, ...webhooks: object[]): void
  /** A webhook of a configuration, called at the path. */
  hook(path: string, more?: object): object
  mutate(object: object | undefined, more?: Partial<AdmissionRequest>): Promise<ApiObject | undefined>
  validate(object: object | undefined, more?: Partial<AdmissionRequest>): Promise<void>
}

const CONFIG_MAPS = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], scope: '*' }]

const signal = new AbortController().signal

export async function openWebhookWorld(namespaceLabels: Record<string, string> = {}): Promise<WebhookWorld> {
  const server = await openWebhookServer(['hook.ns.svc'])
  const caller = new OutgoingCaller({ egress: egressPolicy({ loopback: true }) })
  const observed = { calls: [] as WebhookCall[], rejections: [] as WebhookRejection[], open: [] as string[] }
  const namespaces: ObjectReader = {
    find: (_none, name) =>
      Promise.resolve(
        name === 'gone'
          ? undefined
          : { kind: 'Namespace', apiVersion: 'v1', metadata: { name, labels: namespaceLabels } },
      ),
    findLatest: () => Promise.resolve(undefined),
    list: () => Promise.resolve([]),
  }
  const parts = {
    caller,
    locate: ({ name }: { readonly name: string }) =>
      name === 'hook'
        ? Promise.resolve({ host: '127.0.0.1', port: server.port })
        : Promise.reject(new OutgoingCallError('lookup', `service ${JSON.stringify(name)} not found`)),
    servedKinds: (request: AdmissionRequest) => kindsOf(request),
    namespaces,
    authorizer: allowAll(),
    exemptsReviews: false,
    json: { parse: (bytes: Buffer) => JSON.parse(bytes.toString()) as Value, applyPatch: applyJsonPatch },
    observer: {
      called: (call: WebhookCall) => void observed.calls.push(call),
      rejected: (rejection: WebhookRejection) => void observed.rejections.push(rejection),
      failedOpen: (name: string) => void observed.open.push(name),
    },
    log: SILENT_LOG,
  }
  const mutating = openMutatingWebhooks(parts)
  const validating = openValidatingWebhooks(parts)
  const warnings: string[] = []
  const annotations: Record<string, string> = {}
  const before: AdmissionPlugin[] = []
  const request = (object: object | undefined, more: Partial<AdmissionRequest>): AdmissionRequest =>
    requestFor('configmaps', object, {
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      warn: (text) => void warnings.push(text),
      annotate: (key, value) => {
        annotations[key] ??= value
      },
      // The very object: tests look whether it comes back.
      object: object as ApiObject | undefined,
      ...more,
    })
  const configuration = (name: string, webhooks: readonly object[]): ApiObject =>
    ({ kind: '', apiVersion: '', metadata: { name }, webhooks }) as unknown as ApiObject
  return {
    server,
    observed,
    warnings,
    annotations,
    before,
    mutating: (name, ...webhooks) => mutating.hooks.put(configuration(name, webhooks)),
    validating: (name, ...webhooks) => validating.hooks.put(configuration(name, webhooks)),
    hook: (path, more = {}) => ({
      name: `${path.slice(1)}.example.com`,
      clientConfig: { url: `${server.url}${path}`, caBundle: server.caBundle },
      rules: CONFIG_MAPS,
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      sideEffects: 'None',
      timeoutSeconds: 5,
      admissionReviewVersions: ['v1'],
      ...more,
    }),
    mutate: async (object, more = {}) => {
      const asked = request(object, more)
      return (await admitInOrder([...before, mutating.plugin]).mutate(asked, signal)) ?? asked.object
    },
    validate: async (object, more = {}) => admitInOrder([validating.plugin]).validate(request(object, more), signal),
    async [Symbol.asyncDispose]() {
      caller[Symbol.dispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Config maps in v1; `things` are stored in v1 and also served in v2, which calls `data` something else. */
function kindsOf({ requestResource, requestKind }: AdmissionRequest): readonly ServedKind[] {
  const plain = (resource: ServedKind['resource'], kind: ServedKind['kind']): ServedKind => ({
    kind,
    resource,
    show: (object) => object,
    adopt: (object) => object,
    read: (document) => {
      if (typeof document !== 'object' || document === null) throw new ApiError('BadRequest', 'not an object')
      return { ...(document as ApiObject) }
    },
    encode: (object) => JSON.stringify(object),
  })
  if (requestResource.resource !== 'things') return [plain(requestResource, requestKind)]
  const version = (name: string): ServedKind =>
    plain({ group: 'x', version: name, resource: 'things' }, { group: 'x', version: name, kind: 'Thing' })
  const v2: ServedKind = {
    ...version('v2'),
    show: ({ data, ...rest }) => ({ ...rest, apiVersion: 'x/v2', values: data ?? {} }),
    adopt: ({ values, ...rest }) => ({ ...rest, apiVersion: 'x/v1', data: values ?? {} }),
  }
  return requestResource.version === 'v2' ? [v2, version('v1')] : [version('v1'), v2]
}

export function configMap(name: string, more: object = {}): object {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'ns' }, ...more }
}

export async function refusal(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw new Error(`no ApiError but ${String(error)}`)
  return error
}
