import type { Pages } from '@farebox/web/create-pages'
import { createDrain } from '@farebox/server/internal/drain'
import type { Registry } from 'prom-client'
import { accountPageRoutes } from './account-pages/account-page-routes.ts'
import { startRecounts } from './badges/start-recounts.ts'
import { startCanary } from './canary/start-canary.ts'
import { createApp } from './app/create-app.ts'
import type { Route } from './http/route.ts'
import { systemRoutes } from './app/system-routes.ts'
import { flowRoutes } from './flows/flow-routes.ts'
import { startJobs } from './jobs/drive/start-jobs.ts'
import { jobsRoutes } from './jobs/jobs-routes.ts'
import { createMetrics } from './metrics/create-metrics.ts'
import { startMonitor } from './monitor/start-monitor.ts'
import { monitorRoutes } from './monitor/monitor-routes.ts'
import { operatorRoutes } from './operator/operator-routes.ts'
import { startCleanup } from './operator/start-cleanup.ts'
import { startListingReports } from './owners/settlements/start-listing-reports.ts'
import { ownersRoutes } from './owners/owners-routes.ts'
import { startPermissions } from './limits/follow-permissions.ts'
import { limitsRoutes } from './limits/limits-routes.ts'
import type { PlatformDependencies, PlatformParts } from './platform-parts.ts'
import type { Background } from './work/loop.ts'
import { registryRoutes } from './registry/registry-routes.ts'
import { startRegistry } from './registry/start-registry.ts'
import { runsRoutes } from './runs/runs-routes.ts'
import { startRuns } from './runs/drive/start-runs.ts'
import { searchRoutes } from './search/search-routes.ts'
import { walletsRoutes } from './wallets/wallets-routes.ts'
import { createDueWork } from './work/due-work.ts'

/** A composed platform, ready to serve. */
export interface Platform {
  /** The metrics that Prometheus scrapes. */
  readonly metrics: Registry
  /** Listens on this address and resolves to the URL. Port 0 takes any free port. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>
  /** Makes `/ready` answer 503, and each answer the last one of its connection. */
  drain(): void
  /** Answers the requests in flight, then stops the background work. Calling it twice is safe. */
  close(): Promise<void>
}

/** Options of the HTTP server in front of the platform's API. */
export interface PlatformDoor {
  /** Addresses and CIDR ranges of proxies whose forwarded client address is trusted. Default: none. */
  readonly trustedProxies?: readonly string[]
  /** The web pages served at the same address. Default: none, so only the API is served. */
  readonly pages?: Pages
}

/** Every route of the HTTP API. */
export function platformRoutes(parts: PlatformParts): readonly Route[] {
  const rooms = [
    searchRoutes,
    registryRoutes,
    monitorRoutes,
    jobsRoutes,
    ownersRoutes,
    accountPageRoutes,
    operatorRoutes,
    walletsRoutes,
    limitsRoutes,
    flowRoutes,
    runsRoutes,
  ]
  const routes = rooms.flatMap(routesOf => routesOf(parts))
  return [...routes, ...systemRoutes(parts, routes)]
}

/**
 * Composes all parts of the platform and starts the background work.
 *
 * @example
 * ```ts
 * import { createPlatform } from '@farebox/platform/create-platform'
 * import type { PlatformDependencies } from '@farebox/platform/platform-parts'
 *
 * // Resolves to a function that stops the platform.
 * export async function serve(dependencies: PlatformDependencies): Promise<() => Promise<void>> {
 *   const platform = await createPlatform(dependencies, { trustedProxies: ['10.0.0.0/8'] })
 *   console.log(await platform.listen({ host: '127.0.0.1', port: 4000 }))
 *   return () => platform.close()
 * }
 * ```
 */
export async function createPlatform(
  dependencies: PlatformDependencies,
  { trustedProxies = [], pages }: PlatformDoor = {},
): Promise<Platform> {
  const parts = { ...dependencies, due: createDueWork(dependencies.clock), drain: createDrain() }
  const app = createApp(parts, platformRoutes(parts), { trustedProxies, pages })
  const metrics = createMetrics(parts)
  metrics.watch(app)
  await app.ready()
  const starts = [
    startRegistry,
    startPermissions,
    startMonitor,
    startJobs,
    startRuns,
    startCanary,
    startRecounts,
    startCleanup,
    startListingReports,
  ]
  const background: readonly Background[] = starts.map(start => start(parts))
  const close = async (): Promise<void> => {
    await app.close()
    for (const one of background) await one.stop()
  }
  return {
    metrics: metrics.registry,
    listen: address => app.listen(address),
    drain: parts.drain.begin,
    close,
  }
}
