// Examines objects one by one, and at the end their owners. The examiner keeps only the members that it needs.
import { mapOrEmpty, mapsInPlace, textOrEmpty } from '../api/members.ts'
import { metaText } from '../api/object-members.ts'
import { parseGroupVersion } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { lintRole } from '../auth/role-lint.ts'
import type { Finding } from './doctor-findings.ts'
import { ObjectChecker } from './object-checker.ts'

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
}

/** An object with owners. */
interface Dependent {
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
  /** The kinds whose objects were all read, as `group kind`. */
  readonly #complete = new Set<string>()
  count = 0

  /** Add definitions before the objects of their kinds. */
  add(object: ValueMap): void {
    this.count++
    this.#namespaces.set(metaText(object, 'uid'), metaText(object, 'namespace'))
    const owners = mapsInPlace(mapOrEmpty(object, 'metadata'), 'ownerReferences').map(referenceOf)
    if (owners.length > 0) this.#dependents.push({ ...dependentOf(object), owners })
    const subject = subjectOf(dependentOf(object))
    for (const { text, row } of lintRole(object)) {
      this.#findings.push({ check: 'rbac', subject, problem: text, remedy: `grant less (CIS ${row})` })
    }
    // Events are not checked: two kinds of events with different rules are stored as one kind, and events expire in an hour.
    const faults = textOrEmpty(object, 'kind') === 'Event' ? [] : (this.#checker.faultsOf(object) ?? [])
    for (const { field, message } of faults.slice(0, MOST_FAULTS_TOLD)) {
      const problem = field === '' || message.includes(field) ? message : `${field}: ${message}`
      this.#findings.push({ check: 'schema', subject, problem, remedy: 'correct it: updates of it may be refused' })
    }
  }

  /** Call this when all objects of the kind were added. Until then, owners of the kind may exist that were not added. */
  complete(group: string, kind: string): void {
    this.#complete.add(`${group} ${kind}`)
  }

  /** Findings about single objects. */
  get findings(): readonly Finding[] {
    return this.#findings
  }

  /** Objects whose owners are all gone. The garbage collector would delete them. */
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

  /** Finds owners in another namespace, which do not count: some garbage collectors delete the object, others never do. */
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
