// The paths and operations of resources. The texts that programs read (operation ids, actions, media types) are the reference's. The
// descriptions are ours.
import type { GroupVersion, GroupVersionKind } from '../api/object.ts'
import {
  rootPath,
  type Content,
  type Method,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiPath,
  type OpenApiResource,
  type OpenApiSubresource,
} from './openapi-model.ts'
import { nameParameter, NAMESPACE, optionParameters, PRETTY, PROXY_PATH } from './openapi-parameters.ts'

export const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const STATUS: Content = { kind: 'type', name: `${META}.Status` }
const PATCH: Content = { kind: 'type', name: `${META}.Patch` }
const WATCH_EVENT: Content = { kind: 'type', name: `${META}.WatchEvent` }
const DELETE_OPTIONS: Content = { kind: 'type', name: `${META}.DeleteOptions` }
const TEXT: Content = { kind: 'text' }

const MEDIA_TYPES: readonly string[] = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const STREAM_TYPES: readonly string[] = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
]
const CUSTOM_MEDIA_TYPES: readonly string[] = ['application/json', 'application/yaml']
const PATCH_TYPES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]
const CUSTOM_PATCH_TYPES: readonly string[] = PATCH_TYPES.filter((type) => !type.includes('strategic'))
const ANYTHING: readonly string[] = ['*/*']

/** The verbs of a connection and their methods. */
const CONNECT_METHODS: readonly (readonly [string, readonly Method[]])[] = [
  ['create', ['post']],
  ['delete', ['delete']],
  ['get', ['get']],
  ['patch', ['patch']],
  ['update', ['put']],
]
const PROXY_METHODS: readonly Method[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

export class PathWriter {
  readonly #gv: GroupVersion

  constructor(gv: GroupVersion) {
    this.#gv = gv
  }

  /** Every path of the group-version, in alphabetical order. */
  paths(resources: readonly OpenApiResource[]): readonly OpenApiPath[] {
    // Documents of custom resources do not have the path for discovery.
    const discovery = resources.some(({ isCustom }) => isCustom) ? [] : [this.#discovery()]
    return [...discovery, ...resources.flatMap((resource) => this.#resource(resource))].sort((a, b) =>
      a.path < b.path ? -1 : 1,
    )
  }

  #discovery(): OpenApiPath {
    const [id, tags] = [operationId('get', this.#gv, 'APIResources'), [tagOf(this.#gv)]]
    const description = 'The resources of this group and version.'
    const operation = documentOperation({ id, tags, description, type: `${META}.APIResourceList` })
    return { path: `${rootPath(this.#gv)}/`, operations: [operation] }
  }

  #resource(resource: OpenApiResource): readonly OpenApiPath[] {
    const { plural, namespaced, verbs } = resource
    const root = rootPath(this.#gv)
    const within = namespaced ? 'namespaces/{namespace}/' : ''
    const collection = `${within}${plural}`
    const item = `${collection}/{name}`
    const scope = namespaced ? [NAMESPACE] : []
    const named = [...scope, nameParameter(resource.kind)]
    const has = (verb: string): boolean => verbs.includes(verb)
    const everywhere = { resource, parameters: [], suffix: 'ForAllNamespaces', inNamespace: false }
    const inScope = { resource, parameters: scope, suffix: '', inNamespace: namespaced }
    const one = { resource, parameters: named, suffix: '', inNamespace: namespaced }
    const paths: readonly OpenApiPath[] = [
      {
        path: `${root}/${collection}`,
        operations: [
          ...(has('list') ? [this.#list(inScope)] : []),
          ...(has('create') ? [this.#create(inScope)] : []),
          ...(has('deletecollection') ? [this.#deleteCollection(inScope)] : []),
        ],
      },
      { path: `${root}/${item}`, operations: this.#item(one, verbs) },
      ...(namespaced && has('list') ? [{ path: `${root}/${plural}`, operations: [this.#list(everywhere)] }] : []),
      ...(has('watch') && !resource.isCustom
        ? [
            { path: `${root}/watch/${collection}`, operations: [this.#watch(inScope, 'List')] },
            { path: `${root}/watch/${item}`, operations: [this.#watch(one, '')] },
            ...(namespaced ? [{ path: `${root}/watch/${plural}`, operations: [this.#watch(everywhere, 'List')] }] : []),
          ]
        : []),
      ...resource.subresources.flatMap((subresource) => this.#subresource(one, subresource, `${root}/${item}`)),
    ]
    return paths.filter(({ operations }) => operations.length > 0)
  }

  #item(target: Target, verbs: readonly string[]): readonly OpenApiOperation[] {
    const has = (verb: string): boolean => verbs.includes(verb)
    return [
      ...(has('get') ? [this.#read(target)] : []),
      ...(has('update') ? [this.#replace(target)] : []),
      ...(has('patch') ? [this.#patch(target)] : []),
      ...(has('delete') ? [this.#delete(target)] : []),
    ]
  }

  #list(target: Target): OpenApiOperation {
    const { resource } = target
    const types = mediaTypes(resource)
    return this.#operation(target, 'get', {
      id: 'list',
      action: 'list',
      description: `List or watch objects of kind ${resource.kind}.`,
      parameters: metaOptions('ListOptions'),
      produces: resource.isCustom ? types : [...types, ...STREAM_TYPES],
      answers: answersOf({ kind: 'type', name: resource.listType }, 200),
    })
  }

  #create(target: Target): OpenApiOperation {
    const content = contentOf(target)
    return this.#operation(target, 'post', {
      id: 'create',
      description: `Create ${subjectOf(target)}.`,
      parameters: metaOptions('CreateOptions'),
      body: { content, required: true },
      answers: answersOf(content, 200, 201, 202),
    })
  }

  #read(target: Target): OpenApiOperation {
    const isLog = target.subresource?.name === 'log'
    return this.#operation(target, 'get', {
      id: 'read',
      description: `Read ${subjectOf(target)}.`,
      parameters: isLog
        ? optionParameters('core_v1', 'PodLogOptions')
        : target.resource.isCustom
          ? metaOptions('GetOptions')
          : [],
      ...(isLog ? { produces: ['text/plain', ...MEDIA_TYPES] } : {}),
      answers: answersOf(isLog ? TEXT : contentOf(target), 200),
    })
  }

  #replace(target: Target): OpenApiOperation {
    const content = contentOf(target)
    return this.#operation(target, 'put', {
      id: 'replace',
      description: `Replace ${subjectOf(target)}.`,
      parameters: metaOptions('UpdateOptions'),
      body: { content, required: true },
      answers: answersOf(content, 200, 201),
    })
  }

  #patch(target: Target): OpenApiOperation {
    return this.#operation(target, 'patch', {
      id: 'patch',
      description: `Change parts of ${subjectOf(target)}.`,
      parameters: metaOptions('PatchOptions'),
      body: { content: PATCH, required: true },
      consumes: target.resource.isCustom ? CUSTOM_PATCH_TYPES : PATCH_TYPES,
      answers: target.resource.isCustom ? answersOf(contentOf(target), 200) : answersOf(contentOf(target), 200, 201),
    })
  }

  #delete(target: Target): OpenApiOperation {
    return this.#operation(target, 'delete', {
      id: 'delete',
      description: `Delete ${subjectOf(target)}.`,
      parameters: metaOptions('DeleteOptions'),
      body: { content: DELETE_OPTIONS, required: false },
      answers: answersOf(target.resource.deleteGivesObject ? contentOf(target) : STATUS, 200, 202),
    })
  }

  /** For custom resources, the documents do not list the delete options here. */
  #deleteCollection(target: Target): OpenApiOperation {
    const list = metaOptions('ListOptions')
    const selecting = list.filter(({ name }) => name !== 'watch' && name !== 'allowWatchBookmarks')
    const { isCustom, kind } = target.resource
    return this.#operation(target, 'delete', {
      id: 'deletecollection',
      action: 'deletecollection',
      description: `Delete a collection of ${kind}.`,
      parameters: isCustom ? list : [...metaOptions('DeleteOptions'), ...selecting],
      ...(isCustom ? {} : { body: { content: DELETE_OPTIONS, required: false } }),
      answers: answersOf(STATUS, 200),
    })
  }

  #watch(target: Target, idSuffix: 'List' | ''): OpenApiOperation {
    return this.#operation(target, 'get', {
      id: 'watch',
      idSuffix,
      action: idSuffix === 'List' ? 'watchlist' : 'watch',
      description: `Watch ${idSuffix === 'List' ? 'a list' : 'an object'} of kind ${target.resource.kind}. Deprecated: list with the parameter watch.`,
      parameters: metaOptions('ListOptions'),
      produces: [...MEDIA_TYPES, ...STREAM_TYPES],
      answers: answersOf(WATCH_EVENT, 200),
    })
  }

  #subresource(parent: Target, subresource: OpenApiSubresource, itemPath: string): readonly OpenApiPath[] {
    const target = { ...parent, subresource }
    const path = `${itemPath}/${subresource.name}`
    if (!CONNECTED.includes(subresource.name)) {
      const created = subresource.verbs.includes('create') ? [this.#create(target)] : []
      return [{ path, operations: [...created, ...this.#item(target, subresource.verbs)] }]
    }
    const isProxy = subresource.name === 'proxy'
    const methods = isProxy
      ? PROXY_METHODS
      : CONNECT_METHODS.flatMap(([verb, list]) => (subresource.verbs.includes(verb) ? list : []))
    const deeper = { ...target, suffix: 'WithPath', parameters: [...target.parameters, PROXY_PATH] }
    return [
      { path, operations: methods.map((method) => this.#connect(target, method)) },
      ...(isProxy
        ? [{ path: `${path}/{path}`, operations: methods.map((method) => this.#connect(deeper, method)) }]
        : []),
    ]
  }

  #connect(target: Target, method: Method): OpenApiOperation {
    const { subresource } = target
    const operation = this.#operation(target, method, {
      id: 'connect',
      idMethod: method,
      action: 'connect',
      description: `Connect to ${subresource?.name} of ${target.resource.kind}.`,
      parameters: optionParameters('core_v1', subresource?.kind ?? ''),
      consumes: ANYTHING,
      produces: ANYTHING,
      answers: answersOf(TEXT, 200),
    })
    return { ...operation, parameters: operation.parameters.filter((parameter) => parameter !== PRETTY) }
  }

  #operation(target: Target, method: Method, draft: Draft): OpenApiOperation {
    const { resource, subresource } = target
    const { id, idSuffix = '', idMethod = '', ...rest } = draft
    const name = [
      capitalize(idMethod),
      id === 'deletecollection' ? 'Collection' : '',
      target.inNamespace ? 'Namespaced' : '',
      resource.kind,
      capitalize(subresource?.name ?? ''),
      idSuffix,
      target.suffix,
    ].join('')
    const { group, version, kind }: GroupVersionKind = resource.isCustom ? resource : (subresource ?? resource)
    return {
      method,
      id: operationId(id === 'deletecollection' ? 'delete' : id, this.#gv, name),
      tags: [tagOf(this.#gv)],
      consumes: resource.isCustom ? CUSTOM_MEDIA_TYPES : ANYTHING,
      produces: mediaTypes(resource),
      action: method,
      ...rest,
      parameters: [...target.parameters, PRETTY, ...rest.parameters],
      gvk: { group, version, kind },
    }
  }
}

/** The resource of an operation, and the parameters of its path. */
interface Target {
  readonly resource: OpenApiResource
  readonly subresource?: OpenApiSubresource
  readonly parameters: readonly OpenApiParameter[]
  readonly suffix: string
  readonly inNamespace: boolean
}

interface Draft extends Pick<OpenApiOperation, 'description' | 'parameters' | 'answers' | 'body' | 'action'> {
  readonly id: string
  readonly idSuffix?: string
  readonly idMethod?: string
  readonly consumes?: readonly string[]
  readonly produces?: readonly string[]
}

/** Subresources that are connections, not objects. */
const CONNECTED: readonly string[] = ['attach', 'exec', 'portforward', 'proxy']

/** The operation that reads a document that does not depend on stored objects. */
export function documentOperation({
  type,
  ...draft
}: Pick<OpenApiOperation, 'id' | 'tags' | 'description'> & { readonly type: string }): OpenApiOperation {
  const answers = answersOf({ kind: 'type', name: type }, 200)
  return { method: 'get', ...draft, parameters: [], consumes: MEDIA_TYPES, produces: MEDIA_TYPES, answers }
}

function metaOptions(kind: string): readonly OpenApiParameter[] {
  return optionParameters('meta_v1', kind)
}

function contentOf({ resource, subresource }: Target): Content {
  return { kind: 'type', name: subresource?.type ?? resource.type }
}

function subjectOf({ resource, subresource }: Target): string {
  return subresource === undefined ? `an object of kind ${resource.kind}` : `${subresource.name} of ${resource.kind}`
}

function mediaTypes(resource: OpenApiResource): readonly string[] {
  return resource.isCustom ? CUSTOM_MEDIA_TYPES : MEDIA_TYPES
}

const CODES: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

function answersOf(content: Content, ...codes: readonly number[]): OpenApiOperation['answers'] {
  return codes.map((code) => ({ code, description: CODES[code] ?? '', content }))
}

/** `createAppsV1NamespacedDeployment`: the verb, the group and version, and the resource. */
export function operationId(verb: string, gv: GroupVersion, name: string): string {
  const group = camelCase(groupWord(gv), true)
  return `${verb}${group}${capitalize(gv.version)}${capitalize(name)}`
}

/** `rbacAuthorization_v1`. */
export function tagOf(gv: GroupVersion): string {
  const group = camelCase(groupWord(gv), false)
  return gv.version === '' ? group : `${group}_${gv.version}`
}

function groupWord({ group }: GroupVersion): string {
  return group === '' ? 'core' : group.replace(/\.k8s\.io$/, '')
}

function camelCase(text: string, upper: boolean): string {
  return text
    .split(/[^A-Za-z0-9_]+/)
    .map((word, i) => (i > 0 || upper ? capitalize(word) : word))
    .join('')
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
