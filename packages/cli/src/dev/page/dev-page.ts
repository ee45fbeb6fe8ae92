import { CommandError } from '../../command-error.ts'
import type { Clock } from 'farebox'
import type { JobEvent, Serving } from '../messages/messages.ts'
import type { PaidPath } from '../paid/paid-path.ts'
import type { Announcer } from '../screen/announce.ts'
import { createDevFeed } from './dev-feed.ts'
import { createPageRuns } from './page-runs.ts'
import { type PageServer, type PageServerOptions, startPageServer } from './page-server.ts'
import type { PageAgent } from './served-agent.ts'

export interface DevPage {
  readonly url: string
  /** The page as a second screen. */
  readonly announcer: Announcer
  loading(): void
  serving(serving: Serving): void
  onJobEvent(event: JobEvent): void
  /** May be called twice. */
  stop(): Promise<void>
}

export interface DevPageOptions {
  readonly clock: Clock
  /** Default: a fixed port, or any free one when that is taken. 0 selects any free port. */
  readonly port?: number
  /** The agent's port, if known; the page does not use it. */
  readonly agentPort: number
  /** Returns the payer of the page's jobs; `undefined` when payments are off. */
  readonly paid: () => PaidPath | undefined
}

/** A fixed port, so that an open page reconnects after a restart. No other part of this project uses it. */
const PREFERRED_PORT = 5170

/** Starts the page of `farebox dev` on loopback, on a separate port: the agent keeps exactly its three routes. */
export async function startDevPage({ clock, port, agentPort, paid }: DevPageOptions): Promise<DevPage> {
  const stopped = new AbortController()
  const feed = createDevFeed(clock)
  const runs = createPageRuns({ clock, feed, paid, signal: stopped.signal })
  let newest: Serving | undefined
  let agent: PageAgent | undefined
  let read: ((serving: Serving) => PageAgent | undefined) | undefined

  /** Large modules are loaded when the page is first opened, so that the agent does not wait for them. */
  async function prepare(): Promise<void> {
    if (read !== undefined) return
    const [{ readServedAgent }] = await Promise.all([import('./served-agent.ts'), runs.warm()])
    if (read !== undefined) return
    read = serving => readServedAgent(serving, paid() !== undefined)
    agent = newest === undefined ? undefined : read(newest)
    feed.describe(agent)
  }

  const server = await startServer(port ?? (agentPort === PREFERRED_PORT ? 0 : undefined), {
    clock,
    feed,
    prepare,
    run: async request =>
      agent === undefined ? 'no version of the agent is served' : await runs.run(request, agent),
  })
  return {
    url: server.url,
    announcer: feed.announcer,
    loading: feed.loading,
    serving(serving) {
      newest = serving
      agent = read?.(serving)
      feed.serving(agent)
    },
    onJobEvent: runs.onJobEvent,
    async stop() {
      stopped.abort(new Error('farebox dev stops'))
      await server.close()
    },
  }
}

async function startServer(port: number | undefined, options: PageServerOptions): Promise<PageServer> {
  try {
    return await startPageServer(port ?? PREFERRED_PORT, options)
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (port === undefined && isTaken) return await startPageServer(0, options)
    if (!isTaken) throw error
    throw new CommandError(
      `the page cannot listen: port ${port} is taken`,
      'choose another with --page-port, or leave it out: any free port is taken then',
      { cause: error },
    )
  }
}
