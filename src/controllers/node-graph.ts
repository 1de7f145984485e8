// Informers that feed the graph of the Node authorizer. They start at the first request of a node.
import type { PersistentVolumeSpec, SecretReference } from '../api/gen/kinds.ts'
import { isKind, isKindInAnyVersion } from '../api/kind-guard.ts'
import { configMapsOf, deviceClaimsOf, volumeClaimsOf } from '../plugins/pod-references.ts'
import { isMirror, secretsOf } from '../plugins/pod-secrets.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { NodeGraph, type NodeRelated, type RelatedType } from '../auth/node-graph.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { together } from '../lib/together.ts'
import { type InformerSource, runInformer } from './informer.ts'
import type { Resource, ResourceTable } from '../registry/registry.ts'

interface Source {
  readonly group: string
  readonly resource: string
  readonly put: (graph: NodeGraph, object: StoredObject) => void
  readonly remove: (graph: NodeGraph, object: StoredObject) => void
}

export class NodeGraphInformer {
  readonly #graph = new NodeGraph()
  readonly #wanted = Promise.withResolvers<void>()
  readonly #loaded = Promise.withResolvers<NodeGraph>()
  #isLoaded = false

  /** The first call starts the informers. */
  readonly get = (): MaybePromise<NodeGraph> => {
    if (this.#isLoaded) return this.#graph
    this.#wanted.resolve()
    return this.#loaded.promise
  }

  async run({ registry, resources }: InformerSource, signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#wanted.resolve()
    signal.addEventListener('abort', stop, { once: true })
    await this.#wanted.promise
    signal.removeEventListener('abort', stop)
    if (signal.aborted) return
    const served = SOURCES.flatMap((source) => {
      const resource = inAnyVersion(resources(), source)
      return resource === undefined ? [] : [{ source, resource }]
    })
    const missing = new Set(served.map(({ source }) => source))
    const followOne = ({ source, resource }: (typeof served)[number], until: AbortSignal): Promise<void> => {
      const handler = {
        onPresent: (object: StoredObject) => source.put(this.#graph, object),
        onGone: (object: StoredObject) => source.remove(this.#graph, object),
        onSynced: () => {
          missing.delete(source)
          if (missing.size > 0) return
          this.#isLoaded = true
          this.#loaded.resolve(this.#graph)
        },
      }
      return runInformer(registry.store, resource, handler, until)
    }
    await together(signal, (until) => served.map((one) => followOne(one, until)))
  }
}

/** Undefined: the resource is not served, because its gate is off. */
function inAnyVersion(table: ResourceTable, { group, resource }: Source): Resource | undefined {
  return Iterator.from(table.all()).find((one) => one.group === group && one.resource === resource)
}

function at(
  type: RelatedType,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): NodeRelated {
  return { type, namespace, name }
}

function putPod(graph: NodeGraph, stored: StoredObject): void {
  const pod = stored.object()
  if (!isKind(pod, 'core_v1.Pod')) return
  const { serviceAccountName = '', nodeName = '' } = pod.spec
  const { namespace } = stored
  const names = (type: RelatedType, all: readonly string[]): NodeRelated[] =>
    all.map((name) => ({ type, namespace, name }))
  // A node itself makes its mirror pods, so they must not give the node access to anything.
  const references = isMirror(pod)
    ? []
    : [
        ...names('serviceaccount', [serviceAccountName]),
        ...names('secret', secretsOf(pod)),
        ...names('configmap', configMapsOf(pod)),
        ...names('persistentvolumeclaim', volumeClaimsOf(pod)),
        ...names('resourceclaim', deviceClaimsOf(pod)),
      ]
  graph.bind(at('pod', stored), nodeName, references)
}

/** The secrets of a volume that nodes may see. */
function secretsOfVolume(spec: PersistentVolumeSpec): readonly (SecretReference | undefined)[] {
  const { cephfs, cinder, csi, flexVolume, iscsi, rbd, scaleIO, storageos } = spec
  return [
    ...[cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos].map((source) => source?.secretRef ?? undefined),
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ]
}

function putVolume(graph: NodeGraph, stored: StoredObject): void {
  const volume = stored.object()
  if (!isKind(volume, 'core_v1.PersistentVolume')) return
  const { spec } = volume
  if (spec.claimRef === undefined) return graph.removeVolume(stored.name)
  const { namespace: own = '', name: claim = '' } = spec.claimRef
  const secret = (name: string, namespace: string): NodeRelated[] =>
    name === '' ? [] : [{ type: 'secret', namespace: namespace === '' ? own : namespace, name }]
  const secrets = [
    ...secret(spec.azureFile?.secretName ?? '', spec.azureFile?.secretNamespace ?? ''),
    ...secretsOfVolume(spec).flatMap(({ name = '', namespace = '' } = {}) => secret(name, namespace)),
  ]
  graph.putVolume(stored.name, at('persistentvolumeclaim', { namespace: own, name: claim }), secrets)
}

function ofNode(type: RelatedType): Pick<Source, 'put' | 'remove'> {
  const nodeOf = (object: ApiObject): string => {
    const isBound =
      isKind(object, 'storage.k8s.io_v1.VolumeAttachment') ||
      isKind(object, 'resource.k8s.io_v1.ResourceSlice') ||
      isKindInAnyVersion(object, 'certificates.k8s.io_v1.PodCertificateRequest')
    return (isBound ? object.spec.nodeName : undefined) ?? ''
  }
  return {
    put: (graph, stored) => graph.bind(at(type, stored), nodeOf(stored.object()), []),
    remove: (graph, stored) => graph.unbind(at(type, stored)),
  }
}

const SOURCES: readonly Source[] = [
  { group: '', resource: 'pods', put: putPod, remove: (graph, pod) => graph.unbind(at('pod', pod)) },
  {
    group: '',
    resource: 'persistentvolumes',
    put: putVolume,
    remove: (graph, { name }) => graph.removeVolume(name),
  },
  { group: 'storage.k8s.io', resource: 'volumeattachments', ...ofNode('volumeattachment') },
  { group: 'resource.k8s.io', resource: 'resourceslices', ...ofNode('resourceslice') },
  { group: 'certificates.k8s.io', resource: 'podcertificaterequests', ...ofNode('podcertificaterequest') },
]
