// The login with a token, with the certificate of the browser, or at a provider.
import { useState } from 'preact/hooks'
import { Alert } from './alert.tsx'
import { logIn, messageOf, type Session } from './api.ts'

interface Props {
  /** The other ways to log in. */
  readonly offered: Session
  /** The user whose unsaved edits are still there. */
  readonly kept: string | undefined
  /** The reason why a login by a link failed. Empty: no such login failed. */
  readonly problem: string
  readonly onSession: (session: Session) => void
}

export function LoginPage({ offered: { certificate, provider }, kept, problem: before, onSession }: Props) {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState(before)
  const [isBusy, setBusy] = useState(false)
  const enter = async (credential: string): Promise<void> => {
    setBusy(true)
    try {
      onSession(await logIn({ token: credential }))
    } catch (error) {
      setProblem(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <main class="login">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void enter(token)
        }}
      >
        <h1>
          <Mark /> Quarterdeck
        </h1>
        {kept !== undefined && (
          <p class="notice" role="status">
            Your session has ended. Your unsaved edits are kept: log in as {kept} to go on with them. A login as another
            user discards them.
          </p>
        )}
        <label>
          <span>Token</span>
          <input
            type="password"
            name="token"
            autocomplete="off"
            required
            autofocus
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </label>
        <p class="hint">
          On the machine of the server, <code>npx quarterdeck console</code> opens a page that is logged in. Otherwise
          enter a token that this server accepts: the administrator's is in <code>admin.kubeconfig</code> in the data
          directory, and <code>kubectl create token NAME</code> makes one for a service account. The console keeps it
          only in an encrypted cookie that scripts cannot read.
        </p>
        <Alert text={problem} />
        <button type="submit" class="primary" disabled={isBusy}>
          Log in
        </button>
        {provider !== undefined && (
          <a class="button" href="/console/provider/login" target="_self">
            Log in at {new URL(provider).host}
          </a>
        )}
        {certificate !== undefined && (
          <button type="button" disabled={isBusy} onClick={() => void enter('')}>
            Continue as {certificate}
          </button>
        )}
      </form>
    </main>
  )
}

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="6.4" />
      <path d="M16 3.5v6M16 22.5v6M3.5 16h6M22.5 16h6" />
    </svg>
  )
}
