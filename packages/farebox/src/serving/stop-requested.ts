import { launcherGone } from './launcher-gone.ts'

/**
 * Resolves at the first SIGTERM or SIGINT, and when npm, which started this process, has ended; at a second one, of either, `atOnce` is called: people who press Ctrl-C
 * again do not want to wait.
 */
export function stopRequested(atOnce: () => void): Promise<void> {
  return new Promise(resolve => {
    let asked = false
    void launcherGone(process.env).then(resolve)
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (asked) atOnce()
        asked = true
        resolve()
      })
    }
  })
}
