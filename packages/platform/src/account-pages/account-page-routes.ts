import type { Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { ownerOverviewRoutes } from './owner-overview-routes.ts'
import { payerJobsRoute } from './payer-jobs-route.ts'

/** The routes that show signed-in callers their own jobs and agents. */
export function accountPageRoutes(parts: PlatformParts): readonly Route[] {
  return [payerJobsRoute(parts), ...ownerOverviewRoutes(parts)]
}
