// The objects that every namespace gets: the service account `default`, and the CA bundle of this server in `kube-root-ca.crt`.
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { parseFieldSelector } from '../api/selector-fields.ts'
import { equalValues, own } from '../api/value.ts'
import { together } from '../lib/together.ts'
import { isTerminating } from '../registry/object-meta.ts'
import type { Resource } from '../registry/registry.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { WorkQueue } from './work-queue.ts'
import { controllerContext, ensureObject, newObject, succeeds } from './writes.ts'
import { type InformerHandler, runInformer } from './informer.ts'
import { servedResource } from '../registry/served-resource.ts'

const WORKERS = 8
const ROOT_CA_NAME = 'kube-root-ca.crt'
const ROOT_CA_NOTE =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

/** An object that each namespace has. */
interface NamespaceDefault {
  /** The name of the controller. */
  readonly name: string
  readonly resource: Resource
  readonly objectName: string
  readonly make: () => ApiObject
  /** Undefined if the object is as it should be. */
  readonly repaired: (live: ApiObject) => ApiObject | undefined
}

export function defaultServiceAccounts(parts: ControllerParts): Controller {
  const name = 'serviceaccount'
  return {
    name,
    run: (signal) => {
      const resource = servedResource(parts.resources(), 'serviceaccounts')
      const make = (): ApiObject => newObject(resource, { name: 'default' })
      return keepInNamespaces(parts, { name, resource, objectName: 'default', make, repaired: () => undefined }, signal)
    },
  }
}

export function rootCertificates(parts: ControllerParts, authority: string): Controller {
  const name = 'root-ca-certificate-publisher'
  return {
    name,
    run: (signal) => {
      const resource = servedResource(parts.resources(), 'configmaps')
      const data = { 'ca.crt': authority }
      const annotations = { 'kubernetes.io/description': ROOT_CA_NOTE }
      const make = (): ApiObject => newObject(resource, { name: ROOT_CA_NAME, annotations }, { data })
      const repaired = (live: ApiObject): ApiObject | undefined =>
        equalValues(own(live, 'data'), data) ? undefined : { ...live, data }
      return keepInNamespaces(parts, { name, resource, objectName: ROOT_CA_NAME, make, repaired }, signal)
    },
  }
}

/** Creates missing objects and repairs changed ones. Terminating namespaces are left alone. */
async function keepInNamespaces(
  parts: ControllerParts,
  { name, resource, objectName, make, repaired }: NamespaceDefault,
  signal: AbortSignal,
): Promise<void> {
  const work = async (namespace: string, inner: AbortSignal): Promise<void> => {
    const object = { resource, name: objectName, make, repaired }
    const ensured = ensureObject(parts, object, controllerContext(parts, namespace, inner))
    await succeeds(ensured, 'AlreadyExists', 'NotFound', 'Forbidden')
  }
  const queue = new WorkQueue(parts, { name, workers: WORKERS, work })
  const active = new Set<string>()
  const touched = ({ namespace }: StoredObject): void => {
    if (active.has(namespace)) queue.add(namespace)
  }
  const ofNamespaces: InformerHandler = {
    onPresent: (namespace) => {
      if (isTerminating(namespace.object())) active.delete(namespace.name)
      else if (!active.has(namespace.name)) {
        active.add(namespace.name)
        queue.add(namespace.name)
      }
    },
    onGone: (namespace) => void active.delete(namespace.name),
  }
  const { store } = parts.registry
  const selection = { fields: parseFieldSelector(`metadata.name=${objectName}`) }
  await together(signal, (until) => [
    queue.run(until),
    runInformer(store, servedResource(parts.resources(), 'namespaces'), ofNamespaces, until),
    runInformer(store, { ...resource, selection }, { onPresent: touched, onGone: touched }, until),
  ])
}
