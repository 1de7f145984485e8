// Looks at objects one by one, and at the end at what they say of each other. Of an object only what owners need is kept.
import { mapOrEmpty, mapsInPlace, textOrEmpty } from '../api/members.ts'
import { metaText } from '../api/object-members.ts'
import { parseGroupVersion } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { lintRole } from '../auth/role-lint.ts'
import type { Finding } from './doctor-findings.ts'
import { ObjectChecker } from './object-checker.ts'

interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
}

/** An object with owners. */
export interface Dependent {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly owners: readonly OwnerReference[]
}

export interface Orphan {
  readonly dependent: Dependent
  readonly finding: Finding
}

const MOST_FAULTS_TOLD = 3

export class ObjectExaminer {
  readonly #checker = new ObjectChecker()
  readonly #findings: Finding[] = []
  /** The namespaces of all objects, by uid. */
  readonly #namespaces = new Map<string, string>()
  readonly #dependents: Dependent[] = []
  /** `group kind` of which all objects were seen. */
  readonly #complete = new Set<string>()
  count = 0

  /** Definitions come before the objects of their kinds. */
  add(object: ValueMap): void {
    this.count++
    this.#namespaces.set(metaText(object, 'uid'), metaText(object, 'namespace'))
    const owners = mapsInPlace(mapOrEmpty(object, 'metadata'), 'ownerReferences').map(referenceOf)
    if (owners.length > 0) this.#dependents.push({ ...dependentOf(object), owners })
    const subject = subjectOf(dependentOf(object))
    for (const { text, row } of lintRole(object)) {
      this.#findings.push({ check: 'rbac', subject, problem: text, remedy: `grant less (CIS ${row})` })
    }
    // Events are stored as one kind and made as two, with rules of their own; they are gone in an hour.
    const faults = textOrEmpty(object, 'kind') === 'Event' ? [] : (this.#checker.faultsOf(object) ?? [])
    for (const { field, message } of faults.slice(0, MOST_FAULTS_TOLD)) {
      const problem = field === '' || message.includes(field) ? message : `${field}: ${message}`
      this.#findings.push({ check: 'schema', subject, problem, remedy: 'correct it: updates of it may be refused' })
    }
  }

  /** All objects of this kind were added: owners of other kinds may be there unseen. */
  complete(group: string, kind: string): void {
    this.#complete.add(`${group} ${kind}`)
  }

  /** Of the objects themselves. */
  get findings(): readonly Finding[] {
    return this.#findings
  }

  /** Those whose owners are all gone: the garbage collector would delete them. */
  orphans(): readonly Orphan[] {
    return this.#dependents.flatMap((dependent) => {
      const { owners } = dependent
      const isOrphan = owners.every((owner) => this.#isComplete(owner) && !this.#namespaces.has(owner.uid))
      if (!isOrphan) return []
      const problem = `its owner ${owners[0]!.kind} ${owners[0]!.name} does not exist`
      const remedy = 'delete it, or run quarterdeck doctor --fix'
      return [{ dependent, finding: { check: 'orphan', subject: subjectOf(dependent), problem, remedy } }]
    })
  }

  /** Owners in another namespace own nothing: whoever follows owners deletes the object, or never does. */
  wrongOwners(): readonly Finding[] {
    return this.#dependents.flatMap((dependent) =>
      dependent.owners.flatMap((owner) => {
        const namespace = this.#namespaces.get(owner.uid) ?? ''
        if (namespace === '' || namespace === dependent.namespace) return []
        const problem = `its owner ${owner.kind} ${owner.name} is in namespace ${namespace}`
        return [{ check: 'owner', subject: subjectOf(dependent), problem, remedy: 'remove the owner reference' }]
      }),
    )
  }

  #isComplete({ apiVersion, kind }: OwnerReference): boolean {
    return this.#complete.has(`${parseGroupVersion(apiVersion)?.group ?? ''} ${kind}`)
  }
}

function referenceOf(reference: ValueMap): OwnerReference {
  const [apiVersion, kind] = [textOrEmpty(reference, 'apiVersion'), textOrEmpty(reference, 'kind')]
  return { apiVersion, kind, name: textOrEmpty(reference, 'name'), uid: textOrEmpty(reference, 'uid') }
}

function dependentOf(object: ValueMap): Omit<Dependent, 'owners'> {
  return {
    apiVersion: textOrEmpty(object, 'apiVersion'),
    kind: textOrEmpty(object, 'kind'),
    namespace: metaText(object, 'namespace'),
    name: metaText(object, 'name'),
    uid: metaText(object, 'uid'),
    resourceVersion: metaText(object, 'resourceVersion'),
  }
}

function subjectOf({ kind, namespace, name }: Pick<Dependent, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`
}
