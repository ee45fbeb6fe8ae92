import { basename } from 'node:path'
import type { Page } from 'playwright-core'
import { request } from 'undici'

/** A file of code that a page asked for. */
export interface Sent {
  /** Without what was built from it. */
  readonly name: string
  readonly kind: 'script' | 'stylesheet'
  /** Its gzip, in KB. */
  readonly kb: number
}

/** Hears what scripts and styles a page asks for. */
export interface CodeListener {
  /** What came since it was asked last. */
  take(): Promise<readonly Sent[]>
}

/** Listens from now on. What is asked for twice is told once. */
export function listenForCode(page: Page): CodeListener {
  const urls = new Map<string, Sent['kind']>()
  const known = new Set<string>()
  page.on('request', asked => {
    const kind = asked.resourceType()
    const url = asked.url()
    const isOther = kind !== 'script' && kind !== 'stylesheet' && !url.endsWith('.js')
    if (!isOther && !known.has(url)) urls.set(url, kind === 'stylesheet' ? kind : 'script')
    known.add(url)
  })
  return {
    async take() {
      const taken = [...urls]
      urls.clear()
      return await Promise.all(taken.map(async ([url, kind]) => ({ ...(await weigh(url)), kind })))
    },
  }
}

/** Names and weights, for people. */
export function describeSent(files: readonly Sent[]): string {
  if (files.length === 0) return 'nothing'
  return files.map(({ name, kb }) => `${name} ${kb.toFixed(1)}`).join(', ')
}

/** What they weigh together, in KB. */
export function sumSent(files: readonly Sent[]): number {
  return files.reduce((total, { kb }) => total + kb, 0)
}

async function weigh(url: string): Promise<Omit<Sent, 'kind'>> {
  const { body } = await request(url, { headers: { 'accept-encoding': 'gzip' } })
  const { byteLength } = await body.arrayBuffer()
  return { name: nameOf(url), kb: byteLength / 1_000 }
}

/** The name of a chunk: what was built from it comes behind the last dash. */
function nameOf(url: string): string {
  return basename(new URL(url).pathname).replace(/-[\w-]{8}\.(?:js|css)$/, '')
}
