import type { PageModule, SitePlace } from '../site/page.ts'

/** One kind of page: its path, its place in the navigation, and its module, which is loaded on demand. */
export interface PageRoute {
  /** Path segments; a segment that begins with a colon is a parameter and matches any text. */
  readonly path: string
  readonly place: SitePlace
  readonly import: () => Promise<PageModule<unknown>>
}

/** Hides the type of a page's data, because the frame passes the data on without knowing its type. */
function page<Data>(imported: Promise<{ readonly page: PageModule<Data> }>): Promise<PageModule<unknown>> {
  return imported.then(({ page }) => page as PageModule<unknown>)
}

const pageRoutes: readonly PageRoute[] = [
  { path: '/', place: 'agents', import: () => page(import('../pages/marketplace/marketplace-page.tsx')) },
  { path: '/agents/:agentId', place: 'agents', import: () => page(import('../pages/agent/agent-page.tsx')) },
  { path: '/flows', place: 'flows', import: () => page(import('../pages/flows/flows-page.tsx')) },
  { path: '/shared/:shareId', place: 'flows', import: () => page(import('../pages/shared/shared-page.tsx')) },
  {
    path: '/flows/:flowId/runs/:runId',
    place: 'jobs',
    import: () => page(import('../pages/run/run-page.tsx')),
  },
  { path: '/runs/:runId', place: 'jobs', import: () => page(import('../pages/run/run-page.tsx')) },
  { path: '/flows/new', place: 'flows', import: () => page(import('../pages/flow/flow-page.tsx')) },
  { path: '/flows/:flowId', place: 'flows', import: () => page(import('../pages/flow/flow-page.tsx')) },
  { path: '/jobs', place: 'jobs', import: () => page(import('../pages/jobs/jobs-page.tsx')) },
  { path: '/jobs/:jobId', place: 'jobs', import: () => page(import('../pages/job/job-page.tsx')) },
  { path: '/receipts', place: 'jobs', import: () => page(import('../pages/receipts/receipts-page.tsx')) },
  {
    path: '/receipts/:hash',
    place: 'jobs',
    import: () => page(import('../pages/receipts/public-receipt-page.tsx')),
  },
  { path: '/register', place: 'owner', import: () => page(import('../pages/register/register-page.tsx')) },
  {
    path: '/register/:registrationId',
    place: 'owner',
    import: () => page(import('../pages/register/register-page.tsx')),
  },
  { path: '/owner', place: 'owner', import: () => page(import('../pages/owner/owner-page.tsx')) },
  { path: '/owner/secrets', place: 'owner', import: () => page(import('../pages/secrets-page.tsx')) },
  {
    path: '/owner/settings',
    place: 'owner',
    import: () => page(import('../pages/settings/settings-page.tsx')),
  },
  {
    path: '/owner/agents/:agentId',
    place: 'owner',
    import: () => page(import('../pages/owner-agent/owner-agent-page.tsx')),
  },
  {
    path: '/owner/agents/:agentId/jobs',
    place: 'owner',
    import: () => page(import('../pages/owner-agent/owner-jobs-page.tsx')),
  },
  { path: '/limits', place: 'purse', import: () => page(import('../pages/limits/limits-page.tsx')) },
  {
    path: '/limits/new',
    place: 'purse',
    import: () => page(import('../pages/new-limit/new-limit-page.tsx')),
  },
  { path: '/sign-in', place: 'owner', import: () => page(import('../pages/sign-in-page.tsx')) },
  {
    path: '/sign-in/terminal',
    place: 'owner',
    import: () => page(import('../pages/terminal-sign-in/terminal-sign-in-page.tsx')),
  },
]

/** The 404 page. */
export const missingRoute: PageRoute = {
  path: '',
  place: 'agents',
  import: () => page(import('../pages/missing-page.tsx')),
}

/** The route that matches a path, with the values of its parameters; undefined when no route matches. */
export function matchRoute(
  path: string,
): { readonly route: PageRoute; readonly params: { readonly [name: string]: string } } | undefined {
  for (const route of pageRoutes) {
    const params = matchPath(route.path, path)
    if (params !== undefined) return { route, params }
  }
  return undefined
}

function matchPath(pattern: string, path: string): { readonly [name: string]: string } | undefined {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: { [name: string]: string } = {}
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? ''
    if (segment.startsWith(':')) {
      if (value === '') return undefined
      params[segment.slice(1)] = value
    } else if (segment !== value) return undefined
  }
  return params
}
