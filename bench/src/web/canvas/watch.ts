import type { Page } from 'playwright-core'

/** How long a page took for something that somebody did. */
export interface EditTime {
  /** From the event to the end of the next frame that is painted. */
  readonly paintMs: number
  /** The longest frame in the second behind that one: what was put off. */
  readonly laterMs: number
}

/** Runs in the page, before its own scripts. */
export const WATCH = `
  const nextTask = work => {
    const channel = new MessageChannel()
    channel.port1.onmessage = () => { channel.port1.close(); work() }
    channel.port2.postMessage(0)
  }
  const recordFrames = isOver => new Promise(done => {
    const frames = []
    let before
    const frame = now => {
      if (before !== undefined) frames.push(now - before)
      before = now
      if (isOver(now)) done(frames)
      else requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })
  window.watch = {
    startFrames() {
      let isOver = false
      const recorded = recordFrames(() => isOver)
      window.watch.stopFrames = () => { isOver = true; return recorded }
    },
    awaitEdit(type) {
      window.watch.edit = new Promise(done => {
        addEventListener(type, event => {
          // Asked for before anybody else does: it is called first in the frame that shows what comes of the event.
          requestAnimationFrame(() => nextTask(() => {
            const paintMs = performance.now() - event.timeStamp
            const until = performance.now() + 1000
            recordFrames(now => now > until).then(frames => done({ paintMs, laterMs: Math.max(...frames) }))
          }))
        }, { capture: true, once: true })
      })
    },
  }`

/** How long each frame of the page took while something was done, in ms. */
export async function framesDuring(page: Page, act: () => Promise<unknown>): Promise<readonly number[]> {
  await page.evaluate('window.watch.startFrames()')
  await act()
  return (await page.evaluate('window.watch.stopFrames()')) as readonly number[]
}

/** How long the page takes for what comes of the next event of a type. */
export async function timeEdit(
  page: Page,
  type: 'keydown' | 'click',
  act: () => Promise<unknown>,
): Promise<EditTime> {
  await page.evaluate(`window.watch.awaitEdit('${type}')`)
  await act()
  return (await page.evaluate('window.watch.edit')) as EditTime
}
