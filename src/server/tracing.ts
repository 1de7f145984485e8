// With tracing, the parts of the server that a request passes are wrapped, so that each part is a step of the trace. Without tracing,
// nothing is wrapped.
import type { Admission } from '../admission/admission.ts'
import { formatGroupResource, type GroupResource } from '../api/object.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { TracingSettings } from '../config/tracing-file.ts'
import { reasonOf, StartError } from '../config/start-error.ts'
import type { FlowControl } from '../flow/flow.ts'
import type { Kv } from '../kv/kv.ts'
import type { SpanAttributes, Tracing } from '../lib/tracing.ts'
import type { RegistryParts } from '../registry/registry.ts'
import type { Store, StoredResource } from '../store/store.ts'
import { openTracing, type RunningTracing } from '../telemetry/tracing.ts'
import { programVersion } from '../telemetry/version.ts'

/** Undefined if tracing is not configured. Throws a `StartError` if its packages are missing. */
export async function startTracing(
  settings: TracingSettings | undefined,
  open: typeof openTracing = openTracing,
): Promise<RunningTracing | undefined> {
  if (settings === undefined) return undefined
  try {
    return await open({ ...settings, version: programVersion() })
  } catch (error) {
    const packages = [
      'api',
      'resources',
      'sdk-trace',
      `exporter-trace-otlp-${settings.protocol === 'grpc' ? 'grpc' : 'proto'}`,
    ]
    const names = packages.map((name) => `@opentelemetry/${name}`).join(' ')
    throw new StartError(`--tracing-config-file needs packages: npm install ${names} (${reasonOf(error)})`, {
      cause: error,
    })
  }
}

/** Makes each read and commit of the store a step of the current request. Without tracing, returns `kv` itself. */
export function tracedKv(kv: Kv, tracing: Tracing | undefined): Kv {
  if (tracing === undefined) return kv
  const step = <T>(operation: string, run: () => Promise<T>): Promise<T> =>
    // The name of the operation is not secret, but the name in the key may be.
    Promise.resolve(tracing.step({ name: `Storage ${operation}`, kind: 'client', attributes: {} }, run))
  return {
    get: (...call) => step('get', () => kv.get(...call)),
    list: (...call) => step('list', () => kv.list(...call)),
    stream: (...call) => step('stream', async () => kv.stream?.(...call)),
    commit: (...call) => step('commit', () => kv.commit(...call)),
    newestRevision: (...call) => step('revision', () => kv.newestRevision(...call)),
    watch: (...call) => kv.watch(...call),
    compact: (...call) => kv.compact(...call),
    checkHealth: (...call) => kv.checkHealth(...call),
    size: (...call) => kv.size(...call),
    close: () => kv.close(),
  }
}

export function tracedRegistry(parts: RegistryParts, tracing: Tracing | undefined): RegistryParts {
  if (tracing === undefined) return parts
  const { store, admission } = parts
  return { ...parts, store: tracedStore(store, tracing), admission: tracedAdmission(admission, tracing) }
}

function tracedStore(store: Store, tracing: Tracing): Store {
  const step = <T>(name: string, resource: StoredResource, run: () => Promise<T>): Promise<T> =>
    Promise.resolve(tracing.step({ name, attributes: attributesOf(resource) }, run))
  return {
    get: (key, ...rest) => step('Get', key.resource, () => store.get(key, ...rest)),
    list: (request, ...rest) => step('List', request.resource, () => store.list(request, ...rest)),
    watch: (request, ...rest) => step('Watch', request.resource, () => store.watch(request, ...rest)),
    write: (key, ...rest) => step('Write', key.resource, () => store.write(key, ...rest)),
    ...(store.peek === undefined ? {} : { peek: (key) => store.peek?.(key) }),
    ...(store.peekAll === undefined ? {} : { peekAll: (...call) => store.peekAll?.(...call) }),
    ...(store.untilPresent === undefined ? {} : { untilPresent: (...call) => store.untilPresent?.(...call) }),
  }
}

function tracedAdmission(admission: Admission, tracing: Tracing): Admission {
  return {
    mutate: (request, signal) =>
      tracing.step({ name: 'Mutating admission', attributes: attributesOf(request.resource) }, () =>
        admission.mutate(request, signal),
      ),
    validate: (request, signal) =>
      tracing.step({ name: 'Validating admission', attributes: attributesOf(request.resource) }, () =>
        admission.validate(request, signal),
      ),
    hasExtensions: (phase) => admission.hasExtensions(phase),
    readsObjects: (phase, request) => admission.readsObjects(phase, request),
  }
}

export function tracedAuthorizer(authorizer: Authorizer, tracing: Tracing | undefined): Authorizer {
  if (tracing === undefined) return authorizer
  return {
    ...authorizer,
    authorize: (access, signal) =>
      tracing.step({ name: 'Authorization', attributes: { verb: access.verb } }, () =>
        authorizer.authorize(access, signal),
      ),
  }
}

export function tracedFlowControl(control: FlowControl, tracing: Tracing | undefined): FlowControl {
  if (tracing === undefined) return control
  return {
    enter: (request, waitMs) =>
      tracing.step({ name: 'Priority and fairness', attributes: {} }, () => control.enter(request, waitMs)),
  }
}

function attributesOf(resource: GroupResource): SpanAttributes {
  return { resource: formatGroupResource(resource) }
}
