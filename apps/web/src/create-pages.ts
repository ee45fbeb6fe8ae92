import { fileURLToPath } from 'node:url'
import { readPageFiles, type PageFile } from './server/page-files.ts'
import { renderPage, type PageAnswer, type PageAsked } from './server/render-page.tsx'
import { matchRoute } from './app/routes.ts'

/** The pages of a platform: documents made on the server, and the files that browsers take over with. */
export interface Pages {
  /** By path: `/assets/main-1a2b3c.js`. */
  readonly files: ReadonlyMap<string, PageFile>
  /** Whether there is a kind of page at this path. */
  isPage(path: string): boolean
  /** Makes a page's document; never rejects for what the API answers. */
  render(asked: PageAsked): Promise<PageAnswer>
}

/** How the pages stand in their surroundings. */
export interface PagesOptions {
  /** Where people reach the platform, without a slash at the end. */
  readonly publicUrl: string
  /** Only on a local chain there is a test wallet; elsewhere its code is not sent. */
  readonly localMode: boolean
  /** The build; default the package's own. */
  readonly folder?: string
}

/**
 * Opens the pages. Throws where they were not built.
 *
 * @example
 * ```ts
 * import { createPages } from '@farebox/web/create-pages'
 *
 * const pages = createPages({ publicUrl: 'https://platform.example', localMode: false })
 * const { status, html } = await pages.render({
 *   path: '/?q=statistics',
 *   theme: undefined,
 *   transport: async path => {
 *     const answer = await fetch(`https://platform.example${path}`)
 *     return { status: answer.status, headers: answer.headers, body: await answer.json() }
 *   },
 * })
 * console.log(status, html.length)
 * ```
 */
export function createPages(options: PagesOptions): Pages {
  const { publicUrl, localMode } = options
  const folder = options.folder ?? fileURLToPath(new URL('../dist/client', import.meta.url))
  const files = readPageFiles(
    folder,
    source => localMode || !source.includes('/test-wallet/'),
    path => SOURCES[path] ?? '',
    path => STYLES[path] ?? '',
  )
  return {
    files: files.files,
    isPage: path => matchRoute(path) !== undefined,
    render: asked => renderPage(files, publicUrl, asked),
  }
}

/** Where each kind of page is, so that its module is preloaded with the document. */
const SOURCES: { readonly [routePath: string]: string } = {
  '/': 'src/pages/marketplace/marketplace-page.tsx',
  '/agents/:agentId': 'src/pages/agent/agent-page.tsx',
  '/flows': 'src/pages/flows/flows-page.tsx',
  '/flows/:flowId/runs/:runId': 'src/pages/run/run-page.tsx',
  '/runs/:runId': 'src/pages/run/run-page.tsx',
  '/shared/:shareId': 'src/pages/shared/shared-page.tsx',
  '/flows/new': 'src/pages/flow/flow-page.tsx',
  '/flows/:flowId': 'src/pages/flow/flow-page.tsx',
  '/jobs': 'src/pages/jobs/jobs-page.tsx',
  '/jobs/:jobId': 'src/pages/job/job-page.tsx',
  '/receipts': 'src/pages/receipts/receipts-page.tsx',
  '/receipts/:hash': 'src/pages/receipts/public-receipt-page.tsx',
  '/register': 'src/pages/register/register-page.tsx',
  '/register/:registrationId': 'src/pages/register/register-page.tsx',
  '/owner': 'src/pages/owner/owner-page.tsx',
  '/owner/secrets': 'src/pages/secrets-page.tsx',
  '/owner/settings': 'src/pages/settings/settings-page.tsx',
  '/owner/agents/:agentId': 'src/pages/owner-agent/owner-agent-page.tsx',
  '/owner/agents/:agentId/jobs': 'src/pages/owner-agent/owner-jobs-page.tsx',
  '/sign-in': 'src/pages/sign-in-page.tsx',
  '/sign-in/terminal': 'src/pages/terminal-sign-in/terminal-sign-in-page.tsx',
}

/** Styles that no other page needs: linked in the documents of these. */
const STYLES: { readonly [routePath: string]: string } = {
  '/flows/new': 'src/flows/builder/builder-styles.ts',
  '/flows/:flowId': 'src/flows/builder/builder-styles.ts',
}
