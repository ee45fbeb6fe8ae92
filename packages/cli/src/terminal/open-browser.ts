import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { spawn } from 'node:child_process'

/** The programs that open a URL, by platform. None of them is a shell, so an untrusted URL remains one argument. */
const OPENERS: { readonly [platform: string]: readonly [command: string, ...words: string[]] } = {
  darwin: ['open'],
  // `start` is a command of the shell.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
const ANY_OTHER = ['xdg-open'] as const

/** A program that has not failed within this time shows the page. */
const FAILS_WITHIN_MS = 1_500

/**
 * Opens a page in the browser of the person at this machine. Resolves to false when that is impossible: there is no
 * browser, or the URL is not http or https.
 */
export async function openBrowser(url: string): Promise<boolean> {
  if (!canParseUrl(url) || !/^https?:$/.test(new URL(url).protocol)) return false
  const [command, ...words] = OPENERS[process.platform] ?? ANY_OTHER
  // A reserialized URL has no spaces, quotes or line breaks.
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
