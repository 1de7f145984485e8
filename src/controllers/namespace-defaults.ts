// What every namespace has from its first moment: a service account named default, and the certificate authority that
// clients inside are to trust.
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { equalValues, own } from '../api/value.ts'
import { createObject } from '../registry/create.ts'
import { isTerminating } from '../registry/object-meta.ts'
import type { Resource } from '../registry/registry.ts'
import { updateObject } from '../registry/update.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { controllerContext, isReason, newObject } from './controllers.ts'
import { WorkQueue } from './work-queue.ts'
import { runInformer } from '../informers/informer.ts'
import { servedResource } from '../registry/served-resource.ts'

const WORKERS = 8
const ROOT_CA_NAME = 'kube-root-ca.crt'
const ROOT_CA_NOTE =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

/** Something that each namespace has one of. */
interface Furnishing {
  readonly name: string
  readonly resource: Resource
  readonly objectName: string
  /** The members beside the metadata; kept so where `repair` says so. */
  readonly make: () => ApiObject
  readonly isIntact: (object: ApiObject) => boolean
}

export function defaultServiceAccounts(parts: ControllerParts): Controller {
  const name = 'serviceaccount'
  return {
    name,
    run: (signal) => {
      const resource = servedResource(parts.resources(), 'serviceaccounts')
      const make = (): ApiObject => newObject(resource, { name: 'default' })
      return furnish(parts, { name, resource, objectName: 'default', make, isIntact: () => true }, signal)
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
      const isIntact = (object: ApiObject): boolean => equalValues(own(object, 'data'), data)
      return furnish(parts, { name, resource, objectName: ROOT_CA_NAME, make, isIntact }, signal)
    },
  }
}

async function furnish(parts: ControllerParts, furnishing: Furnishing, signal: AbortSignal): Promise<void> {
  const { resource, objectName } = furnishing
  const queue = new WorkQueue({
    name: furnishing.name,
    log: parts.log,
    measures: parts.queues,
    workers: WORKERS,
    work: (namespace, inner) => place(parts, furnishing, namespace, inner),
  })
  const living = new Set<string>()
  const touched = (object: StoredObject): void => {
    if (object.name === objectName && living.has(object.namespace)) queue.add(object.namespace)
  }
  const { store } = parts.registry
  const namespaces = servedResource(parts.resources(), 'namespaces')
  await Promise.all([
    queue.run(signal),
    runInformer(
      store,
      namespaces,
      {
        onPresent: (namespace) => {
          if (isTerminating(namespace.object())) living.delete(namespace.name)
          else if (!living.has(namespace.name)) {
            living.add(namespace.name)
            queue.add(namespace.name)
          }
        },
        onGone: (namespace) => void living.delete(namespace.name),
      },
      signal,
    ),
    runInformer(store, resource, { onPresent: touched, onGone: touched }, signal),
  ])
}

/** Creates what is missing and mends what was changed; a namespace that is going is left alone. */
async function place(
  parts: ControllerParts,
  furnishing: Furnishing,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { resource, objectName } = furnishing
  const context = controllerContext(parts, namespace, signal)
  const found = await parts.registry.store.get(
    { resource: resource.stored, namespace, name: objectName },
    { kind: 'latest' },
    signal,
  )
  try {
    if (found.item === undefined) {
      await createObject(parts.registry, resource, furnishing.make(), context)
    } else if (found.item.kind === 'object' && !furnishing.isIntact(found.item.object())) {
      const wanted = (live: ApiObject | undefined): ApiObject => {
        const { metadata: _, ...rest } = furnishing.make()
        return { ...live!, ...rest }
      }
      await updateObject(
        parts.registry,
        resource,
        { name: objectName, subresource: '', wanted, tracksFields: false, absent: 'refuse', uid: '' },
        context,
      )
    }
  } catch (error) {
    if (!isReason(error, 'AlreadyExists', 'NotFound', 'Forbidden')) throw error
  }
  return false
}
