// The rights of a user, as a matrix of kinds and verbs.
import { useState } from 'preact/hooks'
import { Alert } from './alert.tsx'
import { ownRights, rightsOf } from './access-review.ts'
import { type Answer, subjectNamed, type Verb, VERBS } from './access-rules.ts'
import type { Tone } from './health.ts'
import { inTurn } from './in-turn.ts'
import { canList, type Kind, resourceName } from './kind.ts'
import { Toned } from './listing.tsx'
import { ONCE, usePolled } from './polling.ts'
import { WhoCan } from './who-can-part.tsx'

interface Props {
  readonly kinds: readonly Kind[]
  readonly namespace: string
}

export function AccessPage({ kinds, namespace }: Props) {
  const [user, setUser] = useState('')
  const shown = kinds.filter((kind) => canList(kind) || kind.verbs.includes('create'))
  return (
    <section class="page">
      <header class="page-head">
        <h1>Access</h1>
        <span class="dim">{namespace === '' ? 'in all namespaces' : `in ${namespace}`}</span>
      </header>
      <WhoCan kinds={kinds} namespace={namespace} />
      <h2>{user === '' ? 'What can you do?' : `What can ${user} do?`}</h2>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          const field = new FormData(event.currentTarget).get('user')
          setUser(typeof field === 'string' ? field.trim() : '')
        }}
      >
        <label class="selector">
          <span>User</span>
          <input name="user" class="mono" size={44} placeholder="yourself" spellcheck={false} />
        </label>
        <button type="submit">Ask</button>
      </form>
      <Matrix key={`${user} ${namespace} ${shown.length}`} kinds={shown} user={user} namespace={namespace} />
    </section>
  )
}

/** The number of requests at a time: for another user, every cell is a request. */
const AT_ONCE = 10

function Matrix({ kinds, user, namespace }: Props & { readonly user: string }) {
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answer>>(new Map())
  const { problem } = usePolled(async (signal) => {
    const decide = user === '' ? await ownRights(namespace) : rightsOf(subjectNamed(user), namespace)
    const found = new Map<string, Answer>()
    await inTurn(kinds, AT_ONCE, async (kind) => {
      const verbs = VERBS.filter((verb) => !signal.aborted && kind.verbs.includes(verb))
      for (const verb of verbs) found.set(cellOf(kind, verb), await decide(kind, verb))
      setAnswers(new Map(found))
    })
  }, ONCE)
  return (
    <>
      <Alert text={problem?.message} />
      <div class="wide" tabIndex={0} role="region" aria-label="Rights, scrollable">
        <table class="plain matrix">
          <thead>
            <tr>
              <th scope="col">Kind</th>
              {VERBS.map((verb) => (
                <th key={verb} scope="col">
                  {verb}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {kinds.map((kind) => (
              <tr key={resourceName(kind)}>
                <th scope="row" title={resourceName(kind)}>
                  {kind.kind} <span class="dim">{kind.group}</span>
                </th>
                {VERBS.map((verb) => (
                  <td key={verb}>
                    <Mark answer={kind.verbs.includes(verb) ? answers.get(cellOf(kind, verb)) : undefined} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

const TONES: Readonly<Record<Answer, Tone>> = { yes: 'good', some: 'waiting', no: '' }

function Mark({ answer }: { readonly answer: Answer | undefined }) {
  if (answer === undefined) return null
  return answer === 'no' ? <span class="dim">no</span> : <Toned tone={TONES[answer]} text={answer} />
}

function cellOf(kind: Kind, verb: Verb): string {
  return `${resourceName(kind)} ${verb}`
}
