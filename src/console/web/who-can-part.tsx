// Asks who has a right, and shows the bindings that give it.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { VERBS } from './access-rules.ts'
import { Alert } from './alert.tsx'
import { ApiFailure, ask } from './api.ts'
import { collectionPath, type Kind, resourceName } from './kind.ts'
import { ObjectLink, PlainTable } from './listing.tsx'
import { ONCE, usePolled } from './polling.ts'
import { type Binding, type Holder, holdersOf, type Question, type Role } from './who-can.ts'

interface Props {
  readonly kinds: readonly Kind[]
  readonly namespace: string
}

interface Asked {
  readonly verb: string
  readonly resource: string
  readonly name: string
}

const MORE_VERBS = ['deletecollection', 'impersonate', 'bind', 'escalate', 'approve', '*'] as const

export function WhoCan({ kinds, namespace }: Props) {
  const [asked, setAsked] = useState<Asked>()
  const text = (form: HTMLFormElement, field: string): string => {
    const value = new FormData(form).get(field)
    return typeof value === 'string' ? value.trim() : ''
  }
  const resources = kinds.flatMap((kind) => [
    resourceName(kind),
    ...kind.subresources.map((subresource) => `${resourceName(kind)}/${subresource}`),
  ])
  return (
    <section aria-labelledby="who-can">
      <h2 id="who-can">Who can do this?</h2>
      <form
        class="filters who-can"
        onSubmit={(event) => {
          event.preventDefault()
          const form = event.currentTarget
          setAsked({ verb: text(form, 'verb'), resource: text(form, 'resource'), name: text(form, 'name') })
        }}
      >
        <Field label="Verb" name="verb" placeholder="delete" options={[...VERBS, ...MORE_VERBS]} />
        <Field label="Resource" name="resource" placeholder="secrets, or pods/log" options={resources} />
        <Field label="Name" name="name" placeholder="any" />
        <button type="submit">Find</button>
      </form>
      {asked !== undefined && (
        <Answer key={JSON.stringify([namespace, asked])} kinds={kinds} namespace={namespace} asked={asked} />
      )}
    </section>
  )
}

interface FieldProps {
  readonly label: string
  readonly name: string
  readonly placeholder: string
  readonly options?: readonly string[]
}

function Field({ label, name, placeholder, options }: FieldProps) {
  const list = options === undefined ? undefined : `${name}-options`
  return (
    <label class="selector">
      <span>{label}</span>
      <input
        name={name}
        class="mono"
        placeholder={placeholder}
        list={list}
        required={list !== undefined}
        spellcheck={false}
      />
      {options !== undefined && (
        <datalist id={list}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </label>
  )
}

function Answer({ kinds, namespace, asked }: Props & { readonly asked: Asked }) {
  const { kind, subresource } = resourceNamed(kinds, asked.resource)
  const question = kind === undefined ? undefined : questionOf(kind, subresource, namespace, asked)
  const place = question?.plural === 'namespaces' ? question.name : (question?.namespace ?? '')
  const { value: read, problem } = usePolled((signal) => readAccess(kinds, place, signal), ONCE)
  if (question === undefined) return <Alert text={`The server serves no resource ${asked.resource}.`} />
  if (read === undefined) return problem === undefined ? <p class="dim">Loading…</p> : <Alert text={problem.message} />
  const refused = read.refused.map((one) => one.kind).join(', ')
  const holders = holdersOf(question, read)
  return (
    <>
      {refused !== '' && (
        <p class="notice bad" role="alert">
          {`You have no permission to list: ${refused}. The answer lacks what they grant.`}
        </p>
      )}
      {read.isCut && (
        <p class="notice">There are more roles and bindings than were read. The answer lacks what they grant.</p>
      )}
      {(refused === '' || holders.length > 0) && <p role="status">{summaryOf(holders, question)}</p>}
      {holders.length > 0 && <HolderTable kinds={kinds} holders={holders} />}
      <p class="dim">
        These are the rights by RBAC. Members of the group system:masters may do everything. Other authorizers of the
        server may allow more.
      </p>
    </>
  )
}

function questionOf(kind: Kind, subresource: string, namespace: string, { verb, name }: Asked): Question {
  const { group, plural, namespaced } = kind
  return { verb, group, plural, subresource, name, isNamespaced: namespaced, namespace: namespaced ? namespace : '' }
}

function summaryOf(
  holders: readonly Holder[],
  { verb, plural, subresource, namespace, name, isNamespaced }: Question,
): string {
  const subjects = new Set(holders.map(({ subject }) => JSON.stringify(subject))).size
  const what = [plural, ...(subresource === '' ? [] : [subresource])].join('/')
  const where = namespace === '' ? (isNamespaced ? ' in some or all namespaces' : '') : ` in ${namespace}`
  const who = subjects === 0 ? 'No subject' : subjects === 1 ? '1 subject' : `${subjects} subjects`
  return `${who} can ${verb} ${what}${name === '' ? '' : ` named ${name}`}${where}.`
}

function HolderTable({ kinds, holders }: { readonly kinds: readonly Kind[]; readonly holders: readonly Holder[] }) {
  const link = (wanted: string, name: string, namespace = '', text = name): ComponentChildren => {
    const kind = kinds.find((one) => one.kind === wanted && (one.group === '' || one.group === RBAC))
    return <ObjectLink kind={kind} named={{ namespace, name }} text={text} />
  }
  const rows = holders.map(({ subject, binding: { metadata, roleRef }, names }) => {
    const { name, namespace } = metadata
    const told = `${subject.kind} ${subject.name}`
    return [
      subject.kind === 'ServiceAccount'
        ? link(subject.kind, subject.name, subject.namespace, `${told} in ${subject.namespace ?? ''}`)
        : told,
      namespace ?? 'everywhere',
      names.length === 0 ? 'all' : names.join(', '),
      link(namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding', name, namespace),
      link(roleRef.kind, roleRef.name, roleRef.kind === 'Role' ? namespace : ''),
    ]
  })
  return <PlainTable title="Subjects" columns={['Subject', 'Where', 'Names', 'Binding', 'Role']} rows={rows} />
}

/** `pods/log`, `deploy/scale`, `secrets`, `Secret`. */
function resourceNamed(
  kinds: readonly Kind[],
  text: string,
): { readonly kind: Kind | undefined; readonly subresource: string } {
  const [wanted = '', ...rest] = text.toLowerCase().split('/')
  const names = (kind: Kind): readonly string[] => [
    resourceName(kind),
    kind.plural,
    kind.kind.toLowerCase(),
    ...kind.shortNames,
  ]
  return { kind: kinds.find((kind) => names(kind).includes(wanted)), subresource: rest.join('/') }
}

const RBAC = 'rbac.authorization.k8s.io'
/** The largest number of objects of each kind. */
const MOST = '4000'

interface ReadAccess {
  readonly roles: readonly Role[]
  readonly bindings: readonly Binding[]
  readonly refused: readonly Kind[]
  readonly isCut: boolean
}

/** `namespace`: the namespace of roles and their bindings. Empty: all namespaces. */
async function readAccess(kinds: readonly Kind[], namespace: string, signal: AbortSignal): Promise<ReadAccess> {
  const refused: Kind[] = []
  let isCut = false
  const read = async <T,>(plural: string, select: string): Promise<readonly T[]> => {
    const kind = kinds.find((one) => one.group === RBAC && one.plural === plural)
    if (kind === undefined) return []
    const query = new URLSearchParams({ limit: MOST, select })
    try {
      const { items, metadata } = await ask<{
        readonly items: readonly T[]
        readonly metadata: { readonly continue?: string }
      }>(`${collectionPath(kind, namespace)}?${query.toString()}`, { signal })
      isCut ||= (metadata.continue ?? '') !== ''
      return items
    } catch (error) {
      if (!(error instanceof ApiFailure && error.code === 403)) throw error
      refused.push(kind)
      return []
    }
  }
  const [clusterRoles, roles, clusterBindings, bindings] = await Promise.all([
    read<Role>('clusterroles', 'rules'),
    read<Role>('roles', 'rules'),
    read<Binding>('clusterrolebindings', 'roleRef,subjects'),
    read<Binding>('rolebindings', 'roleRef,subjects'),
  ])
  return { roles: [...clusterRoles, ...roles], bindings: [...clusterBindings, ...bindings], refused, isCut }
}
