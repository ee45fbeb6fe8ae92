// Stands in for `node:http`: an agent makes a server, and nobody here listens. The real one is costly to make, and
// the machine's own part of it keeps whatever its callbacks reach until the next full garbage collection.

/** What our packages call on a server before it listens, and when it ends. */
interface SilentServer {
  maxConnections: number
  on(event: string, listener: () => void): SilentServer
  closeIdleConnections(): void
  closeAllConnections(): void
  close(closed?: () => void): SilentServer
}

/** Makes a server without connections. */
export function createServer(): SilentServer {
  const server: SilentServer = {
    maxConnections: 0,
    on: () => server,
    closeIdleConnections: () => undefined,
    closeAllConnections: () => undefined,
    close(closed) {
      // As with the real one, after whoever called has come to rest.
      if (closed !== undefined) process.nextTick(closed)
      return server
    },
  }
  return server
}
