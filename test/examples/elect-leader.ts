// Two candidates for one lease: the second leads when the first has ended.
import { Client } from 'quarterdeck/client'

using client = new Client()

async function campaign(identity: string, whenLeading = () => {}): Promise<void> {
  const lease = { namespace: 'default', name: 'example', identity, retryPeriodMs: 50 }
  await client.runAsLeader(lease, async (signal) => {
    signal.throwIfAborted()
    console.log(`${identity} leads`)
    whenLeading()
  })
}

const leads = Promise.withResolvers<void>()
const first = campaign('one', leads.resolve)
await leads.promise
await Promise.all([first, campaign('two')])
