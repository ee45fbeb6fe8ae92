import { Pool } from 'undici'

/** Browsers, as far as the server sees them. */
export interface Visitors {
  /** Asks for each page once, never more at the same time. Rejects for an answer that is neither a page nor a 503. */
  visit(paths: readonly string[], together: number): Promise<Visits>
  close(): Promise<void>
}

/** How it went. */
export interface Visits {
  /** Of each page, to its last byte. */
  readonly timesMs: readonly number[]
  /** What was answered with 503, which is a search that took too long. */
  readonly refused: readonly string[]
}

/** As Chromium asks for a document. */
const BROWSER = { accept: 'text/html,application/xhtml+xml', 'accept-encoding': 'gzip, deflate, br' }

/** Connections to one platform. Each page is asked for from an address of its own, so that no limit is met. */
export function createVisitors(url: string): Visitors {
  const pool = new Pool(url, { pipelining: 1 })
  let visits = 0
  return {
    async visit(paths, together) {
      const timesMs: number[] = []
      const refused: string[] = []
      const waiting = paths.values()
      await Promise.all(
        Array.from({ length: together }, async () => {
          for (const path of waiting) {
            visits += 1
            const from = [10, visits >> 16, (visits >> 8) & 255, visits & 255].join('.')
            const startedMs = performance.now()
            const { statusCode, body } = await pool.request({
              method: 'GET',
              path,
              headers: { ...BROWSER, 'x-forwarded-for': from },
            })
            await body.arrayBuffer()
            timesMs.push(performance.now() - startedMs)
            if (statusCode === 503) refused.push(path)
            else if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`)
          }
        }),
      )
      return { timesMs, refused }
    },
    close: () => pool.close(),
  }
}
