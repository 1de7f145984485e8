// The rights of a user, as a matrix of kinds and verbs.
import { useEffect, useState } from 'preact/hooks'
import { Alert } from './alert.tsx'
import { type Decide, ownRights, rightsOf } from './access-review.ts'
import { type Answer, subjectNamed, type Verb, VERBS } from './access-rules.ts'
import type { Problem } from './api.ts'
import { canList, type Kind, resourceName } from './kind.ts'
import { useAttempts } from './polling.ts'
import { WhoCan } from './who-can-part.tsx'

interface Props {
  readonly kinds: readonly Kind[]
  readonly namespace: string
}

export function AccessPage({ kinds, namespace }: Props) {
  const [user, setUser] = useState('')
  const shown = kinds.filter((kind) => canList(kind) || kind.verbs.includes('create'))
  const { answers, problem } = useAnswers(shown, user, namespace)
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
          <input
            name="user"
            class="mono wide-field"
            placeholder="yourself, or system:serviceaccount:default:web"
            spellcheck={false}
          />
        </label>
        <button type="submit">Ask</button>
      </form>
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
            {shown.map((kind) => (
              <tr key={resourceName(kind)}>
                <th scope="row" title={resourceName(kind)}>
                  {kind.kind} <span class="dim">{kind.group}</span>
                </th>
                {VERBS.map((verb) => (
                  <td key={verb}>
                    <Mark answer={kind.verbs.includes(verb) ? answers.get(cellOf(kind, verb)) : 'none'} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const SHOWN: Readonly<Record<Answer | 'none', readonly [text: string, tone: string]>> = {
  yes: ['yes', 'good'],
  some: ['some', 'waiting'],
  no: ['no', ''],
  none: ['', ''],
}

function Mark({ answer }: { readonly answer: Answer | 'none' | undefined }) {
  if (answer === undefined || answer === 'none') return null
  const [text, tone] = SHOWN[answer]
  return <span class={tone === '' ? 'dim' : `tone ${tone}`}>{text}</span>
}

function cellOf(kind: Kind, verb: Verb): string {
  return `${resourceName(kind)} ${verb}`
}

function useAnswers(
  kinds: readonly Kind[],
  user: string,
  namespace: string,
): { readonly answers: ReadonlyMap<string, Answer>; readonly problem: Problem | undefined } {
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answer>>(new Map())
  const { count, problem, report } = useAttempts()
  useEffect(() => {
    let isOpen = true
    const found = new Map<string, Answer>()
    const askAll = async (decide: Decide): Promise<void> => {
      for (const row of kinds.map((kind) => rowOf(kind, decide, found))) {
        await row
        if (!isOpen) return
        setAnswers(new Map(found))
      }
      report()
    }
    setAnswers(found)
    const rights = user === '' ? ownRights(namespace) : Promise.resolve(rightsOf(subjectNamed(user), namespace))
    rights.then(askAll).catch((error: unknown) => {
      if (isOpen) report(error)
    })
    return () => {
      isOpen = false
    }
  }, [kinds.length, user, namespace, count])
  return { answers, problem }
}

async function rowOf(kind: Kind, decide: Decide, found: Map<string, Answer>): Promise<void> {
  const verbs = VERBS.filter((verb) => kind.verbs.includes(verb))
  await Promise.all(verbs.map(async (verb) => found.set(cellOf(kind, verb), await decide(kind, verb))))
}
