import { launcherGone } from './launcher-gone.ts'

/**
 * Resolves at the first SIGTERM or SIGINT, and when the npm process that started this one has ended. A second signal
 * calls `atOnce`, because a user who presses Ctrl-C again does not want to wait.
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
