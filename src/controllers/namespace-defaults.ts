// The objects that every namespace gets: the service account `default`, and the CA bundle of this server in `kube-root-ca.crt`.
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { parseFieldSelector } from '../api/selector-fields.ts'
import { equalValues, own } from '../api/value.ts'
import { isTerminating } from '../registry/object-meta.ts'
import type { Resource } from '../registry/registry.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { keyedController } from './keyed-controller.ts'
import { controllerContext, ensureObject, newObject, succeeds } from './writes.ts'
import { servedResource } from '../registry/served-resource.ts'

const WORKERS = 8
const ROOT_CA_NAME = 'kube-root-ca.crt'
const ROOT_CA_NOTE =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

/** An object that each namespace has. */
interface NamespaceDefault {
  /** The name of the controller. */
  readonly name: string
  readonly plural: string
  readonly objectName: string
  readonly make: (resource: Resource) => ApiObject
  /** The repaired object. Undefined if the object is as it should be. */
  readonly repaired: (live: ApiObject) => ApiObject | undefined
}

export function defaultServiceAccounts(parts: ControllerParts): Controller {
  return keepInNamespaces(parts, {
    name: 'serviceaccount',
    plural: 'serviceaccounts',
    objectName: 'default',
    make: (resource) => newObject(resource, { name: 'default' }),
    repaired: () => undefined,
  })
}

export function rootCertificates(parts: ControllerParts, authority: string): Controller {
  const data = { 'ca.crt': authority }
  const annotations = { 'kubernetes.io/description': ROOT_CA_NOTE }
  return keepInNamespaces(parts, {
    name: 'root-ca-certificate-publisher',
    plural: 'configmaps',
    objectName: ROOT_CA_NAME,
    make: (resource) => newObject(resource, { name: ROOT_CA_NAME, annotations }, { data }),
    repaired: (live) => (equalValues(own(live, 'data'), data) ? undefined : { ...live, data }),
  })
}

/** Creates missing objects and repairs changed ones. Terminating namespaces are left alone. */
function keepInNamespaces(
  parts: ControllerParts,
  { name, plural, objectName, make, repaired }: NamespaceDefault,
): Controller {
  return keyedController(parts, { name, workers: WORKERS }, (queue) => {
    const resource = servedResource(parts.resources(), plural)
    const object = { resource, name: objectName, make: () => make(resource), repaired }
    const active = new Set<string>()
    const touched = ({ namespace }: StoredObject): void => {
      if (active.has(namespace)) queue.add(namespace)
    }
    const onNamespace = (namespace: StoredObject): void => {
      if (isTerminating(namespace.object())) active.delete(namespace.name)
      else if (!active.has(namespace.name)) {
        active.add(namespace.name)
        queue.add(namespace.name)
      }
    }
    const namespaces = servedResource(parts.resources(), 'namespaces')
    const selection = { fields: parseFieldSelector(`metadata.name=${objectName}`) }
    return {
      followed: [
        { type: namespaces, onPresent: onNamespace, onGone: (namespace) => void active.delete(namespace.name) },
        { type: { ...resource, selection }, onPresent: touched, onGone: touched },
      ],
      async work(namespace, signal) {
        const ensured = ensureObject(parts, object, controllerContext(parts, namespace, signal))
        await succeeds(ensured, 'AlreadyExists', 'NotFound', 'Forbidden')
      },
    }
  })
}
