import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { spawn } from 'node:child_process'

/** What shows a URL, by platform. None of them is a shell: an URL of strangers' making stays one word. */
const OPENERS: { readonly [platform: string]: readonly [command: string, ...words: string[]] } = {
  darwin: ['open'],
  // `start` belongs to a shell.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
const ANY_OTHER = ['xdg-open'] as const

/** What has not failed by then shows the page. */
const FAILS_WITHIN_MS = 1_500

/**
 * Shows a page in the browser of the person at this machine. Resolves to false where that cannot be: there is no browser, or
 * the URL is not one of the web.
 */
export async function openBrowser(url: string): Promise<boolean> {
  if (!canParseUrl(url) || !/^https?:$/.test(new URL(url).protocol)) return false
  const [command, ...words] = OPENERS[process.platform] ?? ANY_OTHER
  // Serialized again, it has no spaces, no quotes and no line breaks.
  const child = spawn(command, [...words, new URL(url).href], { stdio: 'ignore', detached: true })
  child.unref()
  return await new Promise(resolve => {
    const timer = setTimeout(() => resolve(true), FAILS_WITHIN_MS)
    const end = (isShown: boolean): void => {
      clearTimeout(timer)
      resolve(isShown)
    }
    child.once('error', () => end(false))
    child.once('exit', code => end(code === 0))
  })
}
