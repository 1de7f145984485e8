// Names and addresses that mean this machine.

/** Takes a host with or without a port: `localhost:6443`, `127.0.0.1`, `[::1]:6443`. */
export function isLoopbackHost(host: string): boolean {
  const url = URL.parse(`https://${host}`)
  return url?.host !== undefined && url.host !== '' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
}
