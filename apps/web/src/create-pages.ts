import { fileURLToPath } from 'node:url'
import { readPageFiles, type PageFile } from './server/page-files.ts'
import { renderPage, type PageAnswer, type PageAsked } from './server/render-page.tsx'
import { matchRoute } from './app/routes.ts'

/** The pages of a platform: documents rendered on the server, and the files with which browsers take them over. */
export interface Pages {
  /** By path, such as `/assets/main-1a2b3c.js`. */
  readonly files: ReadonlyMap<string, PageFile>
  /** Whether a kind of page matches this path. */
  isPage(path: string): boolean
  /** Renders a page's document. Never rejects because of an answer of the API. */
  render(asked: PageAsked): Promise<PageAnswer>
}

/** The settings of the pages. */
export interface PagesOptions {
  /** Public URL of the platform, without a slash at the end. */
  readonly publicUrl: string
  /** Whether the platform is on a local chain. Only then is the code of the test wallet sent. */
  readonly localMode: boolean
  /** Folder of the build; default: the build of this package. */
  readonly folder?: string
}

/**
 * Opens the pages. Throws when they have not been built.
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

/** The source file of each kind of page, so that the document can preload its module. */
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

/** The style sheets that only certain kinds of page need, linked in their documents. */
const STYLES: { readonly [routePath: string]: string } = {
  '/flows/new': 'src/flows/builder/builder-styles.ts',
  '/flows/:flowId': 'src/flows/builder/builder-styles.ts',
}
