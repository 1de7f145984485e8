// Two candidates for one lease: the second leads when the first has ended.
import { Client } from 'quarterdeck/client'

using client = new Client()

async function campaign(identity: string): Promise<void> {
  const lease = { namespace: 'default', name: 'example', identity, retryPeriodMs: 50 }
  await client.runAsLeader(lease, async (signal) => {
    signal.throwIfAborted()
    console.log(`${identity} leads`)
  })
}

const first = campaign('one')
await new Promise((resolve) => setTimeout(resolve, 100))
await Promise.all([first, campaign('two')])
