// The connection of the commands that call a server. Without a flag, they find the server as kubectl does.
import { Client, type ConnectionOptions } from '../client/client.ts'
import { defaultConnection, readKubeconfig } from '../client/kubeconfig.ts'

export interface ServerFlags {
  text(name: 'kubeconfig' | 'context'): string | undefined
}

export function connectionOf(read: ServerFlags): ConnectionOptions {
  const [kubeconfig, context] = [read.text('kubeconfig'), read.text('context')]
  return kubeconfig === undefined ? defaultConnection(context) : readKubeconfig(kubeconfig, context)
}

export function openClient(read: ServerFlags, userAgent: string): Client {
  return new Client({ ...connectionOf(read), userAgent })
}
